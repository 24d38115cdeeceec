import { compileInline } from './compile';
import { effectiveGuardrails } from './effective';
import { compiled } from './spec-support/judge';

const saved = (id: string) => compiled([{ id: 'default.notNull' }], {}, { id });
const written = () => {
  const result = compileInline({ id: 'pg-a', notNull: {} });
  if (!result.ok) throw new Error('not valid');
  return result.guardrail;
};
const ids = (sources: Partial<Parameters<typeof effectiveGuardrails>[0]>) =>
  effectiveGuardrails({ organisation: [], workspace: [], config: [], isExcluded: false, ...sources }).map(
    ({ id }) => id,
  );

describe('effectiveGuardrails', () => {
  it('returns guardrails of the organisation, the workspace and the config in this order, each saved one once [GRD-02]', () => {
    const organisation = [saved('pg-a'), saved('pg-b')];
    expect(
      ids({
        organisation,
        workspace: [saved('pg-b'), saved('pg-c')],
        config: [saved('pg-a'), saved('pg-d')],
      }),
    ).toEqual(['pg-a', 'pg-b', 'pg-c', 'pg-d']);
  });

  it('omits only the organisation’s defaults for a workspace with an exclusion [CTL-01]', () => {
    const sources = { organisation: [saved('pg-a')], workspace: [saved('pg-b')], config: [saved('pg-c')] };
    expect(ids({ ...sources, isExcluded: true })).toEqual(['pg-b', 'pg-c']);
    expect(ids({ ...sources, isExcluded: true, config: [saved('pg-a')] })).toEqual(['pg-b', 'pg-a']);
  });

  it('keeps every inline guardrail next to a saved one with the same name', () => {
    expect(ids({ organisation: [saved('pg-a')], config: [written(), written()] })).toEqual([
      'pg-a',
      'pg-a',
      'pg-a',
    ]);
  });
});
