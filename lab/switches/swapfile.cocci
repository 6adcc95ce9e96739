// SPDX-License-Identifier: GPL-2.0
// T1: swapoff asks through the switch. T2: so does everyone who wants slots; the old searches take no
// slots back from the swap cache inside a cluster.

@@ @@
 #include "internal.h"
+#include "swaptrace.h"

@@
identifier f = unuse_pte_range;
@@
 f(...)
 { <+...
-	swap_cache_get_folio
+	swaptrace_swapoff_lookup
	(...)
 ...+> }

@@
identifier f = scan_swap_map_slots;
@@
 f(...)
 { <+...
-	cluster_alloc_swap
+	swaptrace_alloc_swap
	(...)
 ...+> }

@@
identifier f = cluster_scan_range;
@@
 f(...)
 { <+...
-	vm_swap_full()
+	swaptrace_may_reclaim()
 ...+> }

@@
identifier f = swap_reclaim_full_clusters;
identifier device, force;
type T;
statement S;
@@
 f(T device, bool force)
 {
 ...
+if (swaptrace_old_search())
+	return;
 if (force)
	S
 ...
 }
