import type { BodyOf } from '../../../api';

type Adjustments = NonNullable<BodyOf<'integrationTests_run'>['pricing_adjustments']> | null;

const IN_CONFIGURATIONS = 'configurations.';

/** Body of a test of a saved integration with the changed values of its form only. */
export function changesToTest(
  integration: string,
  changed: readonly string[],
  valueOf: (path: string) => unknown,
): BodyOf<'integrationTests_run'> {
  const configurations = Object.fromEntries(
    changed
      .filter((path) => path.startsWith(IN_CONFIGURATIONS))
      .map((path) => [path.slice(IN_CONFIGURATIONS.length), valueOf(path) ?? null]),
  );
  const key = valueOf('key');
  const mappings = valueOf('secret_mappings') as BodyOf<'integrationTests_run'>['secret_mappings'];
  return {
    integration,
    ...(changed.includes('key') && typeof key === 'string' ? { key } : {}),
    ...(changed.some((path) => path.startsWith('pricing_adjustments'))
      ? { pricing_adjustments: valueOf('pricing_adjustments') as Adjustments }
      : {}),
    ...(changed.includes('secret_mappings') ? { secret_mappings: mappings ?? [] } : {}),
    ...(Object.keys(configurations).length === 0 ? {} : { configurations }),
  };
}
