import type { SavedGuardrailCheck } from '@gw/contracts';
import { joinSecrets, splitSecrets } from '@gw/guardrails';
import { maskSecret } from '../credentials/mask';

type Parameters = Readonly<Record<string, unknown>>;

/** The checks as a read shows them: of secret parameters only masks, of secret maps the names. */
export function maskedChecks(checks: readonly SavedGuardrailCheck[]): readonly SavedGuardrailCheck[] {
  const { secrets, checks: open } = splitSecrets(checks);
  const masks = Object.entries(secrets).map(([index, parameters]) => [index, maskedMap(parameters)] as const);
  return joinSecrets(open, Object.fromEntries(masks));
}

/** A mask that comes back as a read showed it stands for what is saved at its place, in a check of the same id. */
export const unmaskedChecks = (
  written: readonly SavedGuardrailCheck[],
  saved: readonly SavedGuardrailCheck[],
): readonly SavedGuardrailCheck[] => {
  const known = splitSecrets(saved).secrets;
  return written.map((check, index) => {
    const secrets = known[index];
    if (!secrets || saved[index]?.id !== check.id || !isMap(check.parameters)) return check;
    return { ...check, parameters: unmasked(check.parameters, secrets) };
  });
};

const isMap = (value: unknown): value is Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const masked = (secret: unknown): unknown => {
  if (typeof secret === 'string') return maskSecret(secret);
  return isMap(secret) ? maskedMap(secret) : maskSecret('');
};

const maskedMap = (secrets: Parameters): Parameters =>
  Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, masked(value)]));

/** Only where both sides have a secret of that name: nothing is added to what was written. */
function unmasked(written: Parameters, saved: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const before = Object.hasOwn(saved, name) ? saved[name] : undefined;
      if (isMap(value) && isMap(before)) return [name, unmasked(value, before)];
      return [name, typeof before === 'string' && value === maskSecret(before) ? before : value];
    }),
  );
}
