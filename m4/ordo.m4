dnl ORDO_CC_FLAG(FLAG, IF-ACCEPTED, [IF-NOT]): does the C compiler take FLAG without a word?
AC_DEFUN([ORDO_CC_FLAG], [
  AC_MSG_CHECKING([whether $CC takes $1])
  ordo_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $1"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([int ordo_probe; ])],
    [AC_MSG_RESULT([yes]); CFLAGS=$ordo_saved_CFLAGS
     $2],
    [AC_MSG_RESULT([no]); CFLAGS=$ordo_saved_CFLAGS
     $3])
])

dnl ORDO_LIB(NAME, HEADER, FUNCTION, LIBRARIES, DEBIAN-PACKAGE): sets NAME_LIBS, or adds to ordo_missing.
dnl With --enable-static-deps the libraries are named as archives.
AC_DEFUN([ORDO_LIB], [
  $1_LIBS=""
  for ordo_l in $4; do
    AS_IF([test "x$enable_static_deps" = xyes], [$1_LIBS="$$1_LIBS -l:lib$ordo_l.a"], [$1_LIBS="$$1_LIBS -l$ordo_l"])
  done
  AC_MSG_CHECKING([for $3 in$$1_LIBS])
  ordo_saved_LIBS=$LIBS
  LIBS="$$1_LIBS $LIBS -lpthread -ldl -lm"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <$2>]], [[void (*volatile f)(void) = (void (*)(void))$3; return f == 0;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     ordo_missing="$ordo_missing $5"
     ordo_packages="$ordo_packages $5"])
  LIBS=$ordo_saved_LIBS
  AC_SUBST([$1_LIBS])
])
