// SPDX-License-Identifier: GPL-2.0
// T3: a batch drains once or always. T4: which test the add function makes, after which barrier.

@@ @@
 #include "internal.h"
+#include "swaptrace.h"

@@
identifier f = __folio_batch_release;
expression drained;
@@
 f(...)
 { <+...
-	if (!drained)
+	if (!drained || swaptrace_drain_again())
 {...}
 ...+> }

@@
identifier f = lru_add;
@@
 f(...)
 { <+...
-	folio_evictable
+	swaptrace_evictable
	(...)
 ...+> }
