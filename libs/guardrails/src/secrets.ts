import type { GuardrailSecrets, SavedGuardrailCheck } from '@gw/contracts';
import { findCheck } from './catalogue';
import { isSecretReference } from './secret-reference';

/**
 * Separates secret parameters from a guardrail's checks; references stay. An unknown check has no
 * secrets.
 */
export function splitSecrets(checks: readonly SavedGuardrailCheck[]): {
  readonly checks: readonly SavedGuardrailCheck[];
  readonly secrets: GuardrailSecrets;
} {
  const secrets: Record<number, Readonly<Record<string, unknown>>> = {};
  const open = checks.map((check, index) => {
    const names = findCheck(check.id)?.secretParameters ?? [];
    const parameters = Object.entries(check.parameters ?? {});
    const taken = parameters.filter(([name, value]) => names.includes(name) && !isSecretReference(value));
    if (taken.length === 0) return check;
    secrets[index] = Object.fromEntries(taken);
    return { ...check, parameters: Object.fromEntries(parameters.filter((entry) => !taken.includes(entry))) };
  });
  return { checks: open, secrets };
}

/** Restores the checks as they were before `splitSecrets`. */
export const joinSecrets = (
  checks: readonly SavedGuardrailCheck[],
  secrets: GuardrailSecrets,
): readonly SavedGuardrailCheck[] =>
  checks.map((check, index) => {
    const taken = secrets[index];
    return taken ? { ...check, parameters: { ...check.parameters, ...taken } } : check;
  });
