/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SWAPTRACE_COMMON_NEAREST_H
#define SWAPTRACE_COMMON_NEAREST_H

/* Of some known words the one that a mistyped word most likely means. Start with all zero. */
struct nearest {
	const char *word;      /* NULL: none is near */
	unsigned int distance; /* of @word, valid when it is set */
};

/**
 * nearest_try - compare one known word
 * @n: best so far; takes @known over when it is nearer (of equally near ones the first stays)
 * @typed: what the user wrote
 * @known: must live as long as @n
 *
 * The measure counts letters inserted, left out, replaced, or swapped with their neighbour (optimal
 * string alignment). A known word is near when at most a third of its letters, but at least one,
 * must change, or when @typed is its beginning. Words of more than 31 letters are never near.
 */
void nearest_try(struct nearest *n, const char *typed, const char *known);

#endif
