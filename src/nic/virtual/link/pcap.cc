// SPDX-License-Identifier: Apache-2.0
#include "nic/virtual/link/pcap.h"

#include <pcap/pcap.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "nic/virtual/link/rings.h"
#include "warpnic/port/wait.h"

namespace warpnic {
namespace {

constexpr uint32_t kRingEntries = 1024;

struct Capture {
  FrameArea area;
  std::vector<WireDescriptor> frames;
  std::vector<uint64_t> times_ns;
  std::string warning;
};

Result<pcap_t*> open_file(const std::string& file) {
  struct stat info;
  if (stat(file.c_str(), &info) != 0) {
    const int cause = errno;
    return Status(cause == ENOENT || cause == ENOTDIR ? DOCA_ERROR_NOT_FOUND : DOCA_ERROR_IO_FAILED,
                  "capture " + file + " cannot be opened: " + std::strerror(cause));
  }
  if (S_ISDIR(info.st_mode)) {
    return Status(DOCA_ERROR_IO_FAILED, file + " is a folder, not a capture file");
  }
  if (S_ISREG(info.st_mode) && info.st_size == 0) {
    return Status(DOCA_ERROR_IO_FAILED,
                  "capture " + file + " is empty: it has not even a file header");
  }
  char error[PCAP_ERRBUF_SIZE] = "";
  pcap_t* handle = pcap_open_offline_with_tstamp_precision(
      file.c_str(), PCAP_TSTAMP_PRECISION_NANO, error);
  if (handle == nullptr) {
    return Status(DOCA_ERROR_IO_FAILED,
                  file + " cannot be read as pcap or pcapng: " + error);
  }
  return handle;
}

Status read_frames(pcap_t* handle, const std::string& file, Capture& capture) {
  const int type = pcap_datalink(handle);
  if (type != DLT_EN10MB) {
    const char* name = pcap_datalink_val_to_name(type);
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "capture " + file + " is not of Ethernet but of " +
                      (name ? name : "link type " + std::to_string(type)) +
                      "; only Ethernet captures (EN10MB) can be played");
  }
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  int answer = 0;
  while ((answer = pcap_next_ex(handle, &header, &bytes)) == 1) {
    // With nanosecond precision tv_usec holds nanoseconds.
    const uint64_t time_ns = static_cast<uint64_t>(header->ts.tv_sec) * 1000000000u +
                             static_cast<uint64_t>(header->ts.tv_usec);
    const FrameNote frame_note{time_ns, header->len, 0};
    capture.frames.push_back(capture.area.add(bytes, header->caplen, &frame_note));
    capture.times_ns.push_back(time_ns);
  }
  if (answer == PCAP_ERROR) {
    const std::string cause = pcap_geterr(handle);
    if (capture.frames.empty()) {
      return Status(DOCA_ERROR_IO_FAILED,
                    "capture " + file + " is damaged before its first frame ends: " + cause);
    }
    capture.warning = "capture " + file + " is damaged after frame " +
                      std::to_string(capture.frames.size()) + " (" + cause +
                      "); the frames before that are used";
  }
  if (capture.frames.empty()) {
    return Status(DOCA_ERROR_IO_FAILED, "capture " + file + " holds no frame");
  }
  return {};
}

class PcapLink final : public Link {
 public:
  PcapLink(std::unique_ptr<Capture> capture, PcapSpeed speed, uint64_t repeat)
      : capture_(std::move(capture)), speed_(speed), laps_left_(repeat), ring_(kRingEntries) {
    port_.rx = ring_.ring();
    port_.fill = {};
    port_.area = capture_->area.data();
    port_.area_bytes = capture_->area.bytes();
  }

  const WirePort& port() const override { return port_; }
  bool lossless() const override { return speed_ == PcapSpeed::kMax; }
  bool ended() const override { return ended_.load(std::memory_order_acquire); }
  std::string warning() const override { return capture_->warning; }

  bool pump() override {
    if (laps_left_ == 0) return false;
    const uint32_t room = ring_.room();
    uint32_t pushed = 0;
    for (; pushed < room && laps_left_ != 0 && is_due(); ++pushed) {
      ring_.fill(capture_->frames[next_]);
      advance();
    }
    if (pushed) ring_.publish_filled();
    if (laps_left_ == 0) ended_.store(true, std::memory_order_release);
    return pushed != 0;
  }

 private:
  bool is_due() {
    if (speed_ == PcapSpeed::kMax) return true;
    const uint64_t now = now_ns();
    if (next_ == 0 && !lap_begun_) {
      lap_begun_ = true;
      lap_start_ns_ = now;
    }
    const uint64_t first = capture_->times_ns.front();
    const uint64_t time = capture_->times_ns[next_];
    return time <= first || now - lap_start_ns_ >= time - first;
  }
  void advance() {
    if (++next_ < capture_->frames.size()) return;
    next_ = 0;
    lap_begun_ = false;
    --laps_left_;
  }

  std::unique_ptr<Capture> capture_;
  PcapSpeed speed_;
  uint64_t laps_left_;
  RxRing ring_;
  WirePort port_{};
  size_t next_ = 0;
  bool lap_begun_ = false;
  uint64_t lap_start_ns_ = 0;
  std::atomic<bool> ended_{false};
};

}  // namespace

Result<std::unique_ptr<Link>> open_pcap_link(const std::string& file, PcapSpeed speed,
                                             uint64_t repeat) {
  Result<pcap_t*> handle = open_file(file);
  if (!handle.ok()) return handle.status();
  auto capture = std::make_unique<Capture>();
  const Status status = read_frames(handle.value(), file, *capture);
  pcap_close(handle.value());
  if (!status.ok()) return status;
  return std::unique_ptr<Link>(
      std::make_unique<PcapLink>(std::move(capture), speed, repeat));
}

}  // namespace warpnic
