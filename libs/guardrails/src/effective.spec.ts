import { compileWrittenOut } from './compile';
import { effectiveGuardrails } from './effective';
import { compiled } from './spec-support/judge';

const saved = (id: string) => compiled([{ id: 'default.notNull' }], {}, { id });
const written = () => {
  const result = compileWrittenOut({ id: 'pg-a', notNull: {} });
  if (!result.ok) throw new Error('not valid');
  return result.guardrail;
};
const ids = (sources: Partial<Parameters<typeof effectiveGuardrails>[0]>) =>
  effectiveGuardrails({ organisation: [], workspace: [], config: [], isExcluded: false, ...sources }).map(
    ({ id }) => id,
  );

describe('the guardrails of one direction', () => {
  it('[GRD-02] are those of the organisation, the workspace and the config, in this order, each saved one once', () => {
    const organisation = [saved('pg-a'), saved('pg-b')];
    expect(
      ids({
        organisation,
        workspace: [saved('pg-b'), saved('pg-c')],
        config: [saved('pg-a'), saved('pg-d')],
      }),
    ).toEqual(['pg-a', 'pg-b', 'pg-c', 'pg-d']);
  });

  it('[CTL-01] leave out the organisation’s defaults for an exempted workspace, and nothing else', () => {
    const sources = { organisation: [saved('pg-a')], workspace: [saved('pg-b')], config: [saved('pg-c')] };
    expect(ids({ ...sources, isExcluded: true })).toEqual(['pg-b', 'pg-c']);
    expect(ids({ ...sources, isExcluded: true, config: [saved('pg-a')] })).toEqual(['pg-b', 'pg-a']);
  });

  it('keep every guardrail that is written out: it cannot stand in for a saved one of its name', () => {
    expect(ids({ organisation: [saved('pg-a')], config: [written(), written()] })).toEqual([
      'pg-a',
      'pg-a',
      'pg-a',
    ]);
  });
});
