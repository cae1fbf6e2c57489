// OpenCV's warpPerspective as a PyTorch operator, and an addition to keep it company.

#include <ATen/ATen.h>
#include <torch/library.h>

#include <opencv2/imgproc.hpp>

namespace {

constexpr int output_size = 8;  // rows and columns of the result

/// A view of a float tensor of two dimensions. OpenCV neither copies nor frees its memory.
cv::Mat as_mat(const at::Tensor& tensor) {
  return cv::Mat(static_cast<int>(tensor.size(0)), static_cast<int>(tensor.size(1)), CV_32FC1,
                 tensor.data_ptr<float>());
}

/// image [height, width], float32, CPU. warp [3, 3]: the homography that maps a point (x, y, 1) of
/// the image to one of the result. Returns the 8x8 result, bilinear, zero outside the image.
at::Tensor warp_perspective(const at::Tensor& image, const at::Tensor& warp) {
  TORCH_CHECK(image.dim() == 2, "warp_perspective: image must be [height, width], got ",
              image.sizes());
  TORCH_CHECK(warp.dim() == 2 && warp.size(0) == 3 && warp.size(1) == 3,
              "warp_perspective: warp must be [3, 3], got ", warp.sizes());
  TORCH_CHECK(image.scalar_type() == at::kFloat && warp.scalar_type() == at::kFloat,
              "warp_perspective: image and warp must be float32, got ", image.scalar_type(),
              " and ", warp.scalar_type());
  // The tensors must outlive the views.
  const at::Tensor image_rows = image.contiguous();
  const at::Tensor warp_rows = warp.contiguous();
  at::Tensor output = at::empty({output_size, output_size}, image.options());
  cv::Mat output_mat = as_mat(output);
  cv::warpPerspective(as_mat(image_rows), output_mat, as_mat(warp_rows),
                      {output_size, output_size});
  return output;
}

/// The result's shape and dtype without its values: what torch.compile and torch.export ask for.
at::Tensor warp_perspective_meta(const at::Tensor& image, const at::Tensor& /*warp*/) {
  return at::empty({output_size, output_size}, image.options());
}

at::Tensor add(const at::Tensor& x, const at::Tensor& y) {
  return x + y;
}

TORCH_LIBRARY(my_ops, m) {
  m.def("warp_perspective(Tensor image, Tensor warp) -> Tensor");
  m.def("add(Tensor x, Tensor y) -> Tensor", &add);
}

// OpenCV works on host memory: for tensors elsewhere the dispatcher says that there is no kernel.
TORCH_LIBRARY_IMPL(my_ops, CPU, m) {
  m.impl("warp_perspective", &warp_perspective);
}

TORCH_LIBRARY_IMPL(my_ops, Meta, m) {
  m.impl("warp_perspective", &warp_perspective_meta);
}

}  // namespace
