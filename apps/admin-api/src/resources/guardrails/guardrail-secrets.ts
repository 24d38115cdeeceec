import { isDeepStrictEqual } from 'node:util';
import type { SavedGuardrailCheck } from '@gw/contracts';
import { findCheck, isSecretReference, joinSecrets, splitSecrets } from '@gw/guardrails';
import { invalid } from '@gw/web';
import type { Principal } from '../../platform/common/principal';
import { maskSecret, shortenedFault } from '../../platform/credentials/shown-secret';
import { assertMayAim, assertSecretsStay, type BoundSecrets } from '../../platform/credentials/secrets-stay';

type Parameters = Readonly<Record<string, unknown>>;

/**
 * Returns the checks as responses show them: secrets are masked, and secret maps keep their names.
 */
export function maskedChecks(checks: readonly SavedGuardrailCheck[]): readonly SavedGuardrailCheck[] {
  const { secrets, checks: open } = splitSecrets(checks);
  const masks = Object.entries(secrets).map(([index, parameters]) => [index, maskedMap(parameters)] as const);
  return joinSecrets(open, Object.fromEntries(masks));
}

/**
 * Replaces each mask that a response showed with the saved secret at the same position, if the
 * check there has the same id.
 */
export const unmaskedChecks = (
  written: readonly SavedGuardrailCheck[],
  saved: readonly SavedGuardrailCheck[],
): readonly SavedGuardrailCheck[] => {
  const savedSecrets = splitSecrets(saved).secrets;
  return written.map((check, index) => {
    const secrets = savedSecrets[index];
    if (!secrets || saved[index]?.id !== check.id || !isMap(check.parameters)) return check;
    const parameters = unmasked(check.parameters, secrets);
    assertSecretsStay(
      bound(index, check.id, { ...saved[index]?.parameters, ...secrets }),
      bound(index, check.id, parameters),
      givenIn(index, check.parameters, parameters),
    );
    return { ...check, parameters };
  });
};

/**
 * Throws `scope_missing` if a check would send a secret from a secret manager to an address that is
 * not saved with that secret, and the caller may not choose such an address.
 */
export function assertReferencesStay(
  caller: Principal,
  written: readonly SavedGuardrailCheck[],
  saved: readonly SavedGuardrailCheck[] = [],
): void {
  for (const [index, check] of written.entries()) {
    // Compilation refuses entries that are not checks.
    if (typeof (check.id as unknown) !== 'string' || !isMap(check.parameters ?? {})) continue;
    const moved = movedReference(check, saved[index]);
    if (moved !== undefined) assertMayAim(caller, `checks.${String(index)}.parameters.${moved}`);
  }
}

/**
 * Returns the address parameter to which a secret from a secret manager would newly be sent;
 * undefined when there is none.
 */
function movedReference(
  { id, parameters = {} }: SavedGuardrailCheck,
  saved: SavedGuardrailCheck | undefined,
): string | undefined {
  const { secretParameters = [], addressParameters = [] } = findCheck(id) ?? {};
  const before = saved?.id === id ? (saved.parameters ?? {}) : {};
  const isNew = (name: string): boolean => !isDeepStrictEqual(parameters[name], before[name]);
  const references = secretParameters.filter((name) => isSecretReference(parameters[name]));
  if (references.length === 0) return undefined;
  return addressParameters
    .filter((name) => parameters[name] !== undefined || before[name] !== undefined)
    .find((name) => isNew(name) || references.some(isNew));
}

/**
 * Returns the addresses and secrets of a check by their paths in a request. Each header counts as a
 * separate secret.
 */
function bound(index: number, id: string, parameters: Parameters): BoundSecrets {
  const { secretParameters = [], addressParameters = [] } = findCheck(id) ?? {};
  const path = `checks.${String(index)}.parameters`;
  const addresses = addressParameters.map((name) => [`${path}.${name}`, parameters[name]]);
  const secrets = secretParameters.flatMap((name) => pathsOf(`${path}.${name}`, parameters[name]));
  return { addresses: Object.fromEntries(addresses) as Parameters, secrets: Object.fromEntries(secrets) };
}

/**
 * Throws `validation_failed` for a secret that is shortened as responses show it but is not the
 * mask of a saved secret.
 */
export function assertWholeSecrets(secrets: Readonly<Record<string, Parameters>>): void {
  for (const [index, parameters] of Object.entries(secrets))
    for (const [name, secret] of Object.entries(parameters))
      for (const [path, value] of pathsOf(`checks.${index}.parameters.${name}`, secret)) {
        const fault = shortenedFault(value);
        if (fault !== null) throw invalid(path, `${path} ${fault}`);
      }
}

const pathsOf = (path: string, value: unknown): [string, unknown][] =>
  isMap(value) && !isSecretReference(value)
    ? Object.entries(value).map(([name, each]) => [`${path}.${name}`, each])
    : [[path, value ?? null]];

/** Returns the paths of the values that the request contains in clear text, and not as a mask. */
function givenIn(index: number, written: Parameters, kept: Parameters): ReadonlySet<string> {
  const path = `checks.${String(index)}.parameters`;
  const asKept = new Map(Object.entries(kept).flatMap(([name, value]) => pathsOf(`${path}.${name}`, value)));
  const asWritten = Object.entries(written).flatMap(([name, value]) => pathsOf(`${path}.${name}`, value));
  return new Set(asWritten.flatMap(([at, value]) => (asKept.get(at) === value ? [at] : [])));
}

const isMap = (value: unknown): value is Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const masked = (secret: unknown): unknown => {
  if (typeof secret === 'string') return maskSecret(secret);
  return isMap(secret) ? maskedMap(secret) : maskSecret('');
};

const maskedMap = (secrets: Parameters): Parameters =>
  Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, masked(value)]));

/** Replaces masks with saved values for names that exist on both sides; adds no further names. */
function unmasked(written: Parameters, saved: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const before = Object.hasOwn(saved, name) ? saved[name] : undefined;
      if (isMap(value) && isMap(before)) return [name, unmasked(value, before)];
      return [name, typeof before === 'string' && value === maskSecret(before) ? before : value];
    }),
  );
}
