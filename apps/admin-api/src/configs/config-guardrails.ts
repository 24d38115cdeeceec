import { validateConfig } from '@gw/config-schema';

/** The slugs and ids of saved guardrails that a config names, each once. The config need not be valid. */
export function guardrailsNamedBy(config: Readonly<Record<string, unknown>>): string[] {
  const names = new Set<string>();
  validateConfig(config, {
    isKnownGuardrail: (name) => {
      names.add(name);
      return true;
    },
  });
  return [...names];
}

const LISTS: ReadonlySet<string> = new Set([
  'input_guardrails',
  'output_guardrails',
  'before_request_hooks',
  'after_request_hooks',
]);

/** The config without its guardrails and those of its targets. It is valid, so its nesting is bounded. */
export const withoutGuardrails = (config: object): object =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => !LISTS.has(name))
      .map(([name, value]: [string, unknown]) => [
        name,
        name === 'targets' && Array.isArray(value) ? value.map(withoutGuardrails) : value,
      ]),
  );
