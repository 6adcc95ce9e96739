// SPDX-License-Identifier: GPL-2.0
// T1: swapoff asks through the switch. T2: so does everyone who wants slots. With the old searches there is
// no reclaim inside a cluster, large folios give their slots back singly, and clusters that are partly bad
// are not offered.

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
identifier f = __swap_entries_free;
idexpression int n;
@@
 f(...)
 { <+...
-	n <= 1
+	n <= swaptrace_singly(INT_MAX)
 ...+> }

@@
identifier f = put_swap_folio;
idexpression int n;
@@
 f(...)
 { <+...
-	n > 1
+	n > swaptrace_singly(SWAPFILE_CLUSTER - 1)
 ...+> }

@@
identifier f = setup_clusters;
expression ci, si;
@@
 f(...)
 { <+...
	list_add_tail(&ci->list, &si->nonfull_clusters[0]);
+	swaptrace_partly_bad(ci);
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
