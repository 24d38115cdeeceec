import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Pattern } from '@gw/config-schema';
import { CheckError, defineCheck, type ParameterReport } from '../check';
import { reduceInOrder, then } from '../eventually';
import type { JsonObject } from '../json';
import { NOT_PARAMETER, object, scopeParameter, textsOrEmpty } from '../parameters';
import type { Scope } from '../text/scope';
import { jsonIn } from './json-in-text';
import { schemaCost, schemaFault } from './safe-schema';

/** Maximum visits of schema parts to values in one evaluation, about 50 ms in the worst case. */
const STEPS_MAX = 2_000_000;
/** Visits that take as long as one character of other checks in the worst case. */
const STEPS_OF_UNIT = 40;

export const jsonSchema = defineCheck<{ schema: JsonObject; not: boolean; scope: readonly Scope[] }>({
  id: 'default.jsonSchema',
  doc: 'Every text contains JSON that matches the schema (draft 2020-12), alone, in a fenced block or between words.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    { schema: { type: 'object' }, not: NOT_PARAMETER, scope: scopeParameter('last_message') },
    ['schema'],
  ),
  example: {
    schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    not: false,
    scope: ['last_message'],
  },
  prepare({ schema, not, scope }, report) {
    const validate = compileSchema(schema, report);
    const cost = validate ? schemaCost(schema) : 1;
    const valuesMax = Math.floor(STEPS_MAX / cost);
    return {
      evaluate(subject, pace) {
        const first = { found: 0, holds: true, left: valuesMax };
        const judged = reduceInOrder(textsOrEmpty(subject, scope), first, (state, text) =>
          then(jsonIn(text, pace), (values) => {
            const left = leftOf(state.left, valuesMax, values);
            return then(pace.step(((state.left - left) * cost) / STEPS_OF_UNIT), () => ({
              found: state.found + values.length,
              holds: state.holds && values.some((value) => validate?.(value) === true),
              left,
            }));
          }),
        );
        return then(judged, ({ found, holds }) => ({ verdict: holds !== not, data: { found, not } }));
      },
    };
  },
});

/** The meta-schema, compiled once because it is most of the cost of a compilation. */
let metaSchema: Ajv2020 | undefined;

/**
 * Compiles a schema in its own instance, so that names of one guardrail's schema are not visible to
 * another's.
 */
function compileSchema(schema: JsonObject, report: ParameterReport): ValidateFunction | null {
  const fault = schemaFault(schema);
  if (fault) {
    report(fault.path, fault.rule, fault.message, undefined);
    return null;
  }
  try {
    metaSchema ??= new Ajv2020({ strict: false, logger: false });
    if (metaSchema.validateSchema(schema) === true) return userSchemaCompiler().compile(schema);
  } catch {
    // Reported below.
  }
  report(
    ['schema'],
    'schema',
    'is not a JSON Schema of draft 2020-12 without external references',
    undefined,
  );
  return null;
}

/**
 * Returns how many values are left. Each part of the schema visits each value once, so the product
 * bounds the work. Throws when none is left.
 */
function leftOf(before: number, max: number, data: unknown): number {
  let left = before;
  const open: unknown[] = [data];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items = Object.values(next);
    left -= items.length;
    if (left < 0) {
      throw new CheckError(`The JSON has more than the ${String(max)} values that this schema can check.`);
    }
    for (const item of items) open.push(item);
  }
  return left;
}

/**
 * Creates a compiler for users' schemas.
 * Patterns are refused before (`schemaFault`); one that is compiled nevertheless runs on RE2, in
 * linear time. A reference is compiled once, not where it is used.
 */
export function userSchemaCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    // `constructor` and `toString` count as members only if a response has them itself.
    ownProperties: true,
    allErrors: false,
    strict: false,
    validateFormats: true,
    logger: false,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    code: { regExp: linearExpression },
  });
  addFormats(ajv, { mode: 'fast', formats: ['date', 'date-time', 'time', 'uuid', 'ipv4', 'ipv6'] });
  return ajv;
}

/**
 * Compiles a pattern; throws when RE2 does not support it. The compiler shares expressions with
 * equal texts.
 */
function linearExpression(source: string): { test: (text: string) => boolean; toString: () => string } {
  const pattern = Pattern.compile(source);
  if (typeof pattern === 'string') throw new TypeError(pattern);
  return { test: (text) => pattern.test(text), toString: () => source };
}
linearExpression.code = 'linearExpression';
