import type { GuardrailSecrets, SavedGuardrailCheck } from '@gw/contracts';
import { findCheck } from './catalogue';
import { isSecretReference } from './secret-reference';

/**
 * Separates the secret parameters from a guardrail's checks. References to secrets stay in the
 * checks. An unknown check has no secrets.
 */
export function splitSecrets(checks: readonly SavedGuardrailCheck[]): {
  readonly checks: readonly SavedGuardrailCheck[];
  readonly secrets: GuardrailSecrets;
} {
  const secrets: Record<number, Readonly<Record<string, unknown>>> = {};
  const publicChecks = checks.map((check, index) => {
    const names = findCheck(check.id)?.secretParameters ?? [];
    const parameters = Object.entries(check.parameters ?? {});
    const secretEntries = parameters.filter(
      ([name, value]) => names.includes(name) && !isSecretReference(value),
    );
    if (secretEntries.length === 0) return check;
    secrets[index] = Object.fromEntries(secretEntries);
    return {
      ...check,
      parameters: Object.fromEntries(parameters.filter((entry) => !secretEntries.includes(entry))),
    };
  });
  return { checks: publicChecks, secrets };
}

/** Restores the checks as they were before `splitSecrets`. */
export const joinSecrets = (
  checks: readonly SavedGuardrailCheck[],
  secrets: GuardrailSecrets,
): readonly SavedGuardrailCheck[] =>
  checks.map((check, index) => {
    const secretParameters = secrets[index];
    return secretParameters ? { ...check, parameters: { ...check.parameters, ...secretParameters } } : check;
  });
