import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Pattern } from '@gw/config-schema';
import { CheckError, defineCheck, type ParameterReport } from '../check';
import { inTurn, then } from '../eventually';
import type { JsonObject } from '../json';
import { NOT_PARAMETER, object, scopeParameter, someTexts } from '../parameters';
import type { Scope } from '../text/scope';
import { jsonIn } from './json-in-text';
import { schemaCost, schemaFault } from './safe-schema';

/** Visits of parts of a schema to values in one evaluation: some 50 ms at worst. */
const STEPS_MAX = 2_000_000;
/** Visits that take as long as a character takes other checks at worst. */
const STEPS_OF_UNIT = 40;

export const jsonSchema = defineCheck<{ schema: JsonObject; not: boolean; scope: readonly Scope[] }>({
  id: 'default.jsonSchema',
  doc: 'Every text holds JSON that matches the schema (draft 2020-12), alone, in a fenced block or between words.',
  kind: 'text',
  stages: ['input', 'output'],
  deterministic: true,
  wholeAnswer: true,
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
        const judged = inTurn(someTexts(subject, scope), first, (state, text) =>
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

/** The schema of schemas, compiled once: it is most of what a compilation costs. */
let metaSchema: Ajv2020 | undefined;

/** A schema of its own instance: names of one guardrail's schema are not seen by another's. */
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

/** How many values are left: each part of the schema visits each value once, so the product bounds the work. Throws for none. */
function leftOf(before: number, max: number, data: unknown): number {
  let left = before;
  const open: unknown[] = [data];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items = Object.values(next);
    left -= items.length;
    if (left < 0) {
      throw new CheckError(`The JSON holds more than the ${String(max)} values that this schema can check.`);
    }
    for (const item of items) open.push(item);
  }
  return left;
}

/**
 * Compiles schemas of users. Patterns are refused before (`schemaFault`); one that is compiled all the same runs on RE2, in time
 * linear to the text. References are compiled once each, not where they are used.
 */
export function userSchemaCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    // `constructor` and `toString` are members of an answer only where it has them itself.
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

/** Throws for what RE2 does not know. The compiler shares expressions whose texts are equal. */
function linearExpression(source: string): { test: (text: string) => boolean; toString: () => string } {
  const pattern = Pattern.compile(source);
  if (typeof pattern === 'string') throw new TypeError(pattern);
  return { test: (text) => pattern.test(text), toString: () => source };
}
linearExpression.code = 'linearExpression';
