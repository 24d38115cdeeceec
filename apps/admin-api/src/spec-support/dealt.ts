/**
 * Distributes test values over members that share one rule, such as all lists with the same query
 * parameter. Each member gets `each` values, and more when there are too few members to use every
 * value. This shows that the rule applies to every member and to every value, without testing all
 * combinations.
 */
export function dealt<M, V>(members: readonly M[], values: readonly V[], each: number): [M, V][] {
  if (members.length === 0 || values.length === 0) return [];
  const share = Math.min(values.length, Math.max(Math.ceil(each), Math.ceil(values.length / members.length)));
  return members.flatMap((member, index) =>
    Array.from({ length: share }, (_none, turn): [M, V] => [
      member,
      values[(index * share + turn) % values.length] as V,
    ]),
  );
}
