/* card_rates.cu - how fast a card reads, adds to and writes rows of planes, by the form of the access: the floors
 * that manual/h200.md sets the relay beside.  No arithmetic but the additions, no order, nobody waits.
 *
 *     nvcc -std=c++17 -arch=sm_90a -o card_rates card_rates.cu && ./card_rates
 *
 * As the second stroke does at Top-K 2,048 over 8,192 rows: 120 CTAs of 256 threads, eight to a plane, each through
 * 32 tiles of 64 rows of 576 floats, in the order of rows, every fourth one chosen.  What stands in a plane does not
 * matter; a rate counts the bytes of the rows, once. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { CTAS = 120, CLUSTER = 8, ROWS = 8192, WIDTH = 576, TILES = 32, TILE = 64, QUERIES = 16 };
enum { TURNS = 11, ROUNDS = 5 };
enum { BULK_ROWS = 4 }; /* a warp's, of which half are on their way in */
static const uint32_t ROW_BYTES = WIDTH * 4, SHARED = 8 * BULK_ROWS * WIDTH * 4;

#define DEVICE static __device__ __forceinline__

enum form { LOAD, STORE, ADD, RED };

DEVICE uint32_t row_of(int32_t place, int32_t query)
{
    uint32_t h = (uint32_t)place * 2654435761u + blockIdx.x * 40503u + (uint32_t)query * 977u;

    return (uint32_t)place * 4 + ((h ^ h >> 15) & 3);
}

DEVICE uint32_t address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

DEVICE float *plane_of(float *planes, int n_plane)
{
    return planes + (int64_t)(blockIdx.x / CLUSTER % n_plane) * ROWS * WIDTH;
}

DEVICE void fetch(uint32_t to, const float *from, int there)
{
    if (there)
        asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

DEVICE float4 taken(uint32_t from)
{
    float4 v;

    asm volatile("cp.async.wait_group %0;" ::"n"(TURNS - 1) : "memory");
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from)
                 : "memory");
    return make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

template <form F> DEVICE void put(float *to, float4 v)
{
    if (F == STORE || F == ADD)
        asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                     : "memory");
    if (F == RED)
        asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y),
                     "f"(v.z), "f"(v.w)
                     : "memory");
}

/* 16 bytes a thread at a time through a ring of TURNS.  A warp touches 32 / LANES rows at once, LANES threads side by
 * side: 4 as a tensor core's fragment has them (half lines of 128 bytes), 8 for whole lines. */
template <form F, int LANES> __global__ void __launch_bounds__(256, 1) threads(float *planes, int n_plane)
{
    extern __shared__ __align__(128) uint8_t shared[];
    constexpr int SETS = LANES == 4 ? 2 : 4, N = WIDTH / 2 / 4 * 16 / 32; /* a warp's rows by sets; turns a tile */
    uint32_t ring = address(shared) + threadIdx.x / 128 * (TURNS * 2048) + threadIdx.x % 128 * 16;
    float *plane = plane_of(planes, n_plane);
    int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, half = threadIdx.x / 128 * (WIDTH / 2);

    for (int query = 0; query < QUERIES; query++)
        for (int tile = 0; tile < TILES; tile++) {
            float *row[SETS];

#pragma unroll
            for (int i = 0; i < SETS; i++)
                row[i] = plane + half + 4 * (lane % LANES) +
                         (int64_t)row_of(tile * TILE + warp * 16 + lane / LANES + 32 / LANES * i, query) * WIDTH;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TURNS; i++)
                fetch(ring + i * 2048, row[i % SETS] + i / SETS * 4 * LANES, F == ADD || F == LOAD);
#pragma unroll
            for (int i = 0; i < N; i++) {
                float4 v = F == ADD || F == LOAD ? taken(ring + i % TURNS * 2048) : make_float4(1, 1, 1, 1);

                put<F>(row[i % SETS] + i / SETS * 4 * LANES, v);
                if (i + TURNS < N)
                    fetch(ring + i % TURNS * 2048, row[(i + TURNS) % SETS] + (i + TURNS) / SETS * 4 * LANES,
                          F == ADD || F == LOAD);
                else
                    fetch(ring, plane, 0);
            }
        }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

DEVICE void wait_parity(uint32_t bar, int parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(bar), "r"(parity)
                 : "memory");
}

/* Whole rows by the bulk copy engine, each warp its own: in, added to in shared memory, out. */
__global__ void __launch_bounds__(256, 1) bulk(float *planes, int n_plane)
{
    extern __shared__ __align__(128) uint8_t shared[];
    __shared__ __align__(8) uint64_t full[8][BULK_ROWS];
    constexpr int N = QUERIES * TILES * TILE / 8, AHEAD = BULK_ROWS / 2;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *plane = plane_of(planes, n_plane);
    uint8_t *mine = shared + warp * BULK_ROWS * ROW_BYTES;
    auto row = [&](int n) {
        return plane + (int64_t)row_of(n % (TILES * TILE / 8) * 8 + warp, n / (TILES * TILE / 8)) * WIDTH;
    };
    auto load = [&](int n) {
        uint32_t bar = address(&full[warp][n % BULK_ROWS]);

        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(ROW_BYTES) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address(mine + n % BULK_ROWS * ROW_BYTES)),
                     "l"(row(n)), "r"(ROW_BYTES), "r"(bar)
                     : "memory");
    };

    for (int i = 0; lane == 0 && i < BULK_ROWS; i++)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full[warp][i])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    for (int n = 0; lane == 0 && n < AHEAD; n++)
        load(n);
    for (int n = 0; n < N; n++) {
        float4 *x = (float4 *)(mine + n % BULK_ROWS * ROW_BYTES);

        wait_parity(address(&full[warp][n % BULK_ROWS]), n / BULK_ROWS % 2);
        for (int i = lane; i < WIDTH / 4; i += 32)
            x[i] = make_float4(x[i].x + 1, x[i].y + 1, x[i].z + 1, x[i].w + 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (lane == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(row(n)), "r"(address(x)),
                         "r"(ROW_BYTES)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(BULK_ROWS - AHEAD - 1) : "memory");
            if (n + AHEAD < N)
                load(n + AHEAD);
        }
        __syncwarp();
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static void stop_at(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    printf("not run: %s\n", cudaGetErrorString(error));
    exit(77);
}

typedef void kernel(float *, int);

/* The least of ROUNDS, in milliseconds. */
static float least(kernel *f, float *planes, int n_plane)
{
    float best = 1e30f;
    cudaEvent_t begin, end;

    stop_at(cudaEventCreate(&begin));
    stop_at(cudaEventCreate(&end));
    for (int round = 0; round < ROUNDS; round++) {
        float ms;

        stop_at(cudaEventRecord(begin));
        f<<<CTAS, 256, SHARED>>>(planes, n_plane);
        stop_at(cudaEventRecord(end));
        stop_at(cudaEventSynchronize(end));
        stop_at(cudaEventElapsedTime(&ms, begin, end));
        best = ms < best ? ms : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        kernel *f;
    } form[] = {{"load, half lines", threads<LOAD, 4>},        {"load, lines", threads<LOAD, 8>},
                {"store, half lines", threads<STORE, 4>},      {"store, lines", threads<STORE, 8>},
                {"red.v4, half lines", threads<RED, 4>},       {"red.v4, lines", threads<RED, 8>},
                {"load, add, store, half lines", threads<ADD, 4>}, {"load, add, store, lines", threads<ADD, 8>},
                {"load, add, store, bulk rows", bulk}};
    static const int planes[] = {1, 2, 4, 15};
    const double bytes = (double)CTAS * QUERIES * TILES * TILE * ROW_BYTES;
    float *room;

    stop_at(cudaMalloc(&room, (size_t)15 * ROWS * ROW_BYTES));
    stop_at(cudaMemset(room, 0, (size_t)15 * ROWS * ROW_BYTES));
    printf("TB/s of rows, and ms for 4,096 queries of 2,048; planes:");
    for (int n_plane : planes)
        printf("%14d", n_plane);
    printf("\n");
    for (const auto &f : form) {
        stop_at(cudaFuncSetAttribute(f.f, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
        printf("%-54s", f.name);
        for (int n_plane : planes) {
            float ms = least(f.f, room, n_plane);

            printf("  %5.2f %6.2f", bytes / ms * 1e-9, ms * 4096 / (CTAS * QUERIES));
        }
        printf("\n");
    }
    return 0;
}
