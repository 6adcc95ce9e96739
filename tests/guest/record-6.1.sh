#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fresh recordings of stock 6.1: cluster and VMA readahead. timeout: 900
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

guest_or_skip 6.1
command -v jq >/dev/null || tap_skip_all "jq is not installed"
tap_plan 13
guest_recorder
tap_ok $? "a recorder without libraries is built"
guest_record 6.1 1 t1-cluster
guest_record 6.1 1 t1-vma
tap_end
