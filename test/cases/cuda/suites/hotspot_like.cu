// A thermal stencil with pyramid blocking: many macros, a grid that steps, results compared with the host's.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <string.h>
#define BLOCK_SIZE 16
#define EXPAND_RATE 2
#define IN_RANGE(x, min, max)   ((x)>=(min) && (x)<=(max))
#define MIN(a, b) ((a)<=(b) ? (a) : (b))
#define STR_SIZE 256
__global__ void calculate_temp(int iteration, float *power, float *temp_src, float *temp_dst, int grid_cols, int grid_rows, int border_cols, int border_rows, float Cap, float Rx, float Ry, float Rz, float step){
	__shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
	__shared__ float power_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
	__shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE];
	float amb_temp = 80.0f, step_div_Cap = step/Cap, Rx_1 = 1/Rx, Ry_1 = 1/Ry, Rz_1 = 1/Rz;
	int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int small_block_rows = BLOCK_SIZE-iteration*2, small_block_cols = BLOCK_SIZE-iteration*2;
	int blkY = small_block_rows*by-border_rows, blkX = small_block_cols*bx-border_cols, blkYmax = blkY+BLOCK_SIZE-1, blkXmax = blkX+BLOCK_SIZE-1;
	int yidx = blkY+ty, xidx = blkX+tx, index = grid_cols*yidx+xidx;
	if (IN_RANGE(yidx, 0, grid_rows-1) && IN_RANGE(xidx, 0, grid_cols-1)) { temp_on_cuda[ty][tx] = temp_src[index]; power_on_cuda[ty][tx] = power[index]; }
	__syncthreads();
	int validYmin = (blkY < 0) ? -blkY : 0, validYmax = (blkYmax > grid_rows-1) ? BLOCK_SIZE-1-(blkYmax-grid_rows+1) : BLOCK_SIZE-1;
	int validXmin = (blkX < 0) ? -blkX : 0, validXmax = (blkXmax > grid_cols-1) ? BLOCK_SIZE-1-(blkXmax-grid_cols+1) : BLOCK_SIZE-1;
	int N = ty-1, S = ty+1, W = tx-1, E = tx+1;
	N = (N < validYmin) ? validYmin : N; S = (S > validYmax) ? validYmax : S; W = (W < validXmin) ? validXmin : W; E = (E > validXmax) ? validXmax : E;
	bool computed;
	for (int i=0; i<iteration ; i++){
		computed = false;
		if( IN_RANGE(tx, i+1, BLOCK_SIZE-i-2) && IN_RANGE(ty, i+1, BLOCK_SIZE-i-2) && IN_RANGE(tx, validXmin, validXmax) && IN_RANGE(ty, validYmin, validYmax) ) {
			computed = true;
			temp_t[ty][tx] = temp_on_cuda[ty][tx] + step_div_Cap * (power_on_cuda[ty][tx] + (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f*temp_on_cuda[ty][tx]) * Ry_1 + (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f*temp_on_cuda[ty][tx]) * Rx_1 + (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
		}
		__syncthreads();
		if(i==iteration-1) break;
		if(computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
		__syncthreads();
	}
	if (computed) temp_dst[index] = temp_t[ty][tx];
}
static int compute_tran_temp(float *MatrixPower, float *MatrixTemp[2], int col, int row, int total_iterations, int num_iterations, int blockCols, int blockRows, int borderCols, int borderRows) {
	dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE); dim3 dimGrid(blockCols, blockRows);
	int src = 1, dst = 0;
	for (float t = 0; t < total_iterations; t += num_iterations) {
		int temp = src; src = dst; dst = temp;
		calculate_temp<<<dimGrid, dimBlock>>>(MIN(num_iterations, total_iterations-t), MatrixPower, MatrixTemp[src], MatrixTemp[dst], col, row, borderCols, borderRows, 0.5f, 1.2f, 1.4f, 4.75f, 0.05f);
	}
	return dst;
}
int main(int argc, char** argv) {
	int rows = 40, cols = 40, pyramid_height = 2, total_iterations = 6, size = rows*cols;
	int borderCols = pyramid_height*EXPAND_RATE/2, borderRows = borderCols, small = BLOCK_SIZE-pyramid_height*EXPAND_RATE;
	int blockCols = cols/small+((cols%small==0)?0:1), blockRows = rows/small+((rows%small==0)?0:1);
	float *temp = (float *)malloc(size*sizeof(float)), *power = (float *)calloc(size, sizeof(float)), *out = (float *)malloc(size*sizeof(float)), *next = (float *)malloc(size*sizeof(float));
	char line[STR_SIZE]; float value;
	for (int i = 0; i < size; i++) { sprintf(line, "%d.%02d", 320 + i % 11, i % 97); if (sscanf(line, "%f", &value) != 1) return 1; temp[i] = value; power[i] = (i * 31 % 17) * 0.01f; }
	float *MatrixTemp[2], *MatrixPower;
	cudaMalloc((void**)&MatrixTemp[0], sizeof(float)*size); cudaMalloc((void**)&MatrixTemp[1], sizeof(float)*size); cudaMalloc((void**)&MatrixPower, sizeof(float)*size);
	cudaMemcpy(MatrixTemp[0], temp, sizeof(float)*size, cudaMemcpyHostToDevice); cudaMemcpy(MatrixPower, power, sizeof(float)*size, cudaMemcpyHostToDevice);
	int ret = compute_tran_temp(MatrixPower, MatrixTemp, cols, rows, total_iterations, pyramid_height, blockCols, blockRows, borderCols, borderRows);
	cudaMemcpy(out, MatrixTemp[ret], sizeof(float)*size, cudaMemcpyDeviceToHost);
	for (int t = 0; t < total_iterations; t++) {
		for (int y = 0; y < rows; y++) for (int x = 0; x < cols; x++) {
			float c = temp[y*cols+x], n = temp[(y ? y-1 : 0)*cols+x], s = temp[(y < rows-1 ? y+1 : y)*cols+x], w = temp[y*cols+(x ? x-1 : 0)], e = temp[y*cols+(x < cols-1 ? x+1 : x)];
			next[y*cols+x] = c + 0.1f * (power[y*cols+x] + (s + n - 2.0f*c) / 1.4f + (e + w - 2.0f*c) / 1.2f + (80.0f - c) / 4.75f);
		}
		float *swap = temp; temp = next; next = swap;
	}
	int bad = 0;
	for (int i = 0; i < size; i++) { float d = out[i] - temp[i]; if ((d > 0.01f || d < -0.01f || d != d) && !bad++) printf("cell %d: expected %f, got %f\n", i, temp[i], out[i]); }
	cudaFree(MatrixPower); cudaFree(MatrixTemp[0]); cudaFree(MatrixTemp[1]); free(temp); free(power); free(out); free(next);
	if (bad) return 1;
	printf("hotspot_like: ok\n");
}
