import { defineStrategy, type Strategy } from '../strategy';

/** Strategy `single` compiles to no node: its first target takes its place. */
export const single: Strategy = defineStrategy({
  mode: 'single',
  members: {},
  reach: 1,
  compile: ({ child }) => child(0),
  choose: ({ edges }) => edges[0] ?? null,
  fault: () => null,
});
