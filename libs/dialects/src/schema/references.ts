/** Names of the definitions that each definition of a schema refers to; '' is the schema itself. */
export type References = Map<string, Set<string>>;

interface Visit {
  readonly name: string;
  readonly next: Iterator<string, undefined>;
}

/**
 * Returns whether a schema refers to itself, directly or through definitions. Takes time linear in
 * the number of references.
 */
export function isRecursive(references: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>();
  for (const start of references.keys()) {
    const open = new Set<string>();
    const visits: Visit[] = [];
    const enter = (name: string): void => {
      open.add(name);
      visits.push({ name, next: (references.get(name) ?? new Set<string>()).values() });
    };
    if (!done.has(start)) enter(start);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const next = visit.next.next();
      if (next.done === true) {
        visits.pop();
        open.delete(visit.name);
        done.add(visit.name);
      } else if (open.has(next.value)) return true;
      else if (!done.has(next.value)) enter(next.value);
    }
  }
  return false;
}
