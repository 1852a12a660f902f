/* dsa_shards.cu - the backward pass with a plane for each lane of a wave, which nobody else writes. */
#include "kernels/dsa_strokes.cuh"

DSA_STROKES(ordo_dsa_shards_576, 576, 512, 1)
DSA_STROKES(ordo_dsa_shards_512, 512, 512, 1)
