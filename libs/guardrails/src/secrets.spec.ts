import { CHECKS } from './checks';
import { joinSecrets, splitSecrets } from './secrets';

describe('splitSecrets and joinSecrets', () => {
  const checks = CHECKS.map(({ id, example }) => ({ id, parameters: { ...example } }));

  it('separate the secrets of all checks, and restore them unchanged', () => {
    const split = splitSecrets(checks);
    const expected = CHECKS.flatMap(({ secretParameters = [], example }, index) =>
      secretParameters.some((name) => name in example) ? [String(index)] : [],
    );
    expect(expected.length).toBeGreaterThan(3);
    expect(Object.keys(split.secrets)).toEqual(expected);
    split.checks.forEach((check, index) => {
      for (const name of CHECKS[index]?.secretParameters ?? [])
        expect(check.parameters).not.toHaveProperty(name);
    });
    expect(joinSecrets(split.checks, split.secrets)).toEqual(checks);
  });

  it('restore secrets that were serialised as JSON', () => {
    const split = splitSecrets(checks);
    const secrets = JSON.parse(JSON.stringify(split.secrets)) as typeof split.secrets;
    expect(joinSecrets(split.checks, secrets)).toEqual(checks);
  });

  it('return no secrets for an unknown check or one without parameters', () => {
    const none = [{ id: 'no.such', parameters: { apiKey: 'x' } }, { id: 'default.webhook' }];
    expect(splitSecrets(none)).toEqual({ checks: none, secrets: {} });
  });
});
