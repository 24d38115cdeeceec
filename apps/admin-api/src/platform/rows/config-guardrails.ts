import { savedGuardrail, type ConfigErrorDetail } from '@gw/config-schema';
import { validateConfig } from '@gw/routing';
import { compileInline, findCheck } from '@gw/guardrails';

type Node = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Members of a config and its targets that list guardrails, with the stage at which these run. */
const LISTS: ReadonlyMap<string, 'input' | 'output'> = new Map([
  ['input_guardrails', 'input'],
  ['before_request_hooks', 'input'],
  ['output_guardrails', 'output'],
  ['after_request_hooks', 'output'],
]);

/**
 * Returns the slugs and ids of saved guardrails that a config names, without duplicates. The config
 * need not be valid.
 */
export function guardrailsNamedBy(config: Node): string[] {
  const names = new Set<string>();
  validateConfig(config, {
    isKnownGuardrail: (name) => {
      names.add(name);
      return true;
    },
  });
  return [...names];
}

/**
 * Returns all faults of the inline guardrails of a valid config. `checkHost` returns why an address
 * is refused, or null.
 */
export function inlineGuardrailFaults(
  config: Node,
  checkHost: (url: string) => string | null,
): ConfigErrorDetail[] {
  return inlineGuardrailsIn(config, []).flatMap(({ path, guardrail, stage }) => {
    const result = compileInline(guardrail, { stage, checkHost });
    if (result.ok) return [];
    return result.details.map((detail) => ({ ...detail, path: [...path, detail.path].join('.') }));
  });
}

/**
 * Returns the paths of secret parameters in inline guardrails. Configs must not contain them, since
 * everyone who may read a config would see them.
 */
export const secretsOfInlineGuardrails = (config: Node): { readonly path: string }[] =>
  inlineGuardrailsIn(config, []).flatMap(({ path, guardrail }) => {
    const result = compileInline(guardrail);
    if (!result.ok) return [];
    const listed = listAt(guardrail, 'checks').length;
    return result.document.checks.flatMap(({ id, parameters = {} }, index) =>
      (findCheck(id)?.secretParameters ?? [])
        .filter((name) => name in parameters)
        .map((name) => [...path, ...(index < listed ? ['checks', index, 'parameters'] : [id]), name])
        .map((parts) => ({ path: parts.join('.') })),
    );
  });

interface InlineGuardrail {
  readonly path: Path;
  readonly guardrail: Node;
  readonly stage: 'input' | 'output';
}

/**
 * Returns the inline guardrails of the config and its targets. The config is valid, so its nesting
 * is bounded.
 */
function inlineGuardrailsIn(node: Node, path: Path): InlineGuardrail[] {
  const ownGuardrails = [...LISTS].flatMap(([list, stage]) =>
    listAt(node, list).flatMap((entry, index): InlineGuardrail[] =>
      savedGuardrail(entry) === '' ? [{ path: [...path, list, index], guardrail: entry as Node, stage }] : [],
    ),
  );
  const ofTargets = listAt(node, 'targets').flatMap((target, index) =>
    inlineGuardrailsIn(target as Node, [...path, 'targets', index]),
  );
  return [...ownGuardrails, ...ofTargets];
}

const listAt = (node: Node, name: string): readonly unknown[] => {
  const list = node[name];
  return Array.isArray(list) ? list : [];
};

/**
 * Returns the config without its guardrails and those of its targets. The config is valid, so its
 * nesting is bounded.
 */
export const withoutGuardrails = (config: object): object =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => !LISTS.has(name))
      .map(([name, value]: [string, unknown]) => [
        name,
        name === 'targets' && Array.isArray(value) ? value.map(withoutGuardrails) : value,
      ]),
  );
