/* dsa_relay.cu - the backward pass whose clusters share a plane each, and hand its rows over by rank. */
#include "kernels/dsa_strokes.cuh"

DSA_STROKES(ordo_dsa_relay4_576, 576, 512, 4)
DSA_STROKES(ordo_dsa_relay4_512, 512, 512, 4)
DSA_STROKES(ordo_dsa_relay8_576, 576, 512, 8)
DSA_STROKES(ordo_dsa_relay8_512, 512, 512, 8)
DSA_STROKES(ordo_dsa_relay16_576, 576, 512, 16)
DSA_STROKES(ordo_dsa_relay16_512, 512, 512, 16)
