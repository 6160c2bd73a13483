// SPDX-License-Identifier: Apache-2.0
// The `warpnic` command: its subcommands and their options. CLI11 stays in this file.
#include <CLI/CLI.hpp>
#include <bit>
#include <map>

#include "doca_log.h"
#include "doca_version.h"
#include "flows/options.h"

namespace {

/// Adds `warpnic flows`.
void add_flows(CLI::App& app, flows::Options& options, unsigned& table) {
  CLI::App* command = app.add_subcommand(
      "flows", "Counts the flows of a NIC's traffic in persistent kernels, one for each queue");
  command->footer(
      "Exit status: 0 done, also after Ctrl-C, and with a warning where a capture is cut in its "
      "middle\nor the flow table is full; 1 the job failed, for example a file that cannot be "
      "used; 2 wrong\noptions.\nExample: warpnic flows --nic pcap:in.pcap --queues 4");
  command->add_option("--nic", options.nic,
                      "pcap:FILE[,speed=max|recorded][,repeat=N] or gen:KEY=VALUE,... (size=BYTES|"
                      "imix, flows=N, rate=FRAMES_PER_S|max, seed=N, count=N, "
                      "proto=udp|tcp|icmp|mix)")
      ->required();
  command->add_option("--gpu", options.gpu, "auto, cpu (the CPU executor) or cuda:N")
      ->capture_default_str()
      ->check([](const std::string& text) {
        const bool known = text == "auto" || text == "cpu" || text.rfind("cuda:", 0) == 0;
        return known ? std::string() : "'" + text + "' is none of auto, cpu, cuda:N";
      });
  command->add_option("--queues", options.queues, "receive queues; frames are spread over them")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  command->add_option("--slot-bytes", options.slot_bytes, "longest frame that is received")
      ->capture_default_str()
      ->check(CLI::Range(64, 1 << 20));
  command->add_option("--duration", options.duration_s, "seconds until it ends by itself")
      ->check(CLI::PositiveNumber);
  command->add_option("--top", options.top, "flows in the table")->capture_default_str();
  command->add_flag("--json", options.json, "print JSON, with all flows");
  command->add_option("--scope", options.scope, "lanes that receive together")
      ->default_str("thread")
      ->type_name("thread|warp|block")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, flows::ExecScope>{{"thread", flows::ExecScope::kThread},
                                                              {"warp", flows::ExecScope::kWarp},
                                                              {"block", flows::ExecScope::kBlock}})
                      .description(""));
  command->add_option("--table", table, "flows a queue's table has room for")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1u << 24));
  command->add_option("--delay-ms", options.delay_ms, "a slow kernel: waits after each receive")
      ->group("");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("warpnic: kernels receive Ethernet packets themselves, on any machine");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("warpnic ") + doca_version_runtime());
  std::string level;
  app.add_option("--sdk-log-level", level,
                 "messages of the library: disable, critical, error, warning, info, debug, trace")
      ->check(CLI::IsMember({"disable", "critical", "error", "warning", "info", "debug", "trace"},
                            CLI::ignore_case));
  app.fallthrough();
  flows::Options flow_options;
  unsigned table = flow_options.table_flows;
  add_flows(app, flow_options, table);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!level.empty()) {
    uint32_t number = 0;
    (void)warpnic_log_level_from_text(level.c_str(), &number);
    (void)doca_log_level_set_global_sdk_limit(number);
  }
  flow_options.table_flows = std::bit_ceil(table);
  return flows::run(flow_options);
}
