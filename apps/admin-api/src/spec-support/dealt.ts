/**
 * Values dealt out to the members of a class that one declaration binds alike (a query parameter that many lists have, an id in
 * many paths): each member gets `each` of them in turn, and more where the members are too few for every value to be used. So each member
 * shows that the rule binds it, and the class shows that the rule holds for every value, without the product of both.
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
