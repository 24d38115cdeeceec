import { checkHashFields, HASH_FIELDS, type Subject } from '@gw/config-schema';
import type { CompiledEdge, CompiledStrategy } from '../compile/compiled';
import { commonFault, faultOf, severityOf } from '../faults';
import { fieldsOf, hashFieldsOf, unitHash } from '../identity';
import { defineStrategy, type Strategy } from '../strategy';

interface CanarySettings {
  readonly percentage: number;
  readonly hash_fields?: readonly string[];
}

interface CompiledCanary extends CompiledStrategy {
  /** The current target and the new one. */
  readonly edges: readonly [CompiledEdge, CompiledEdge];
  readonly percentage: number;
  readonly fields: readonly Subject[];
}

const settingsOf = (settings: object): CanarySettings => settings as CanarySettings;

/**
 * Sends a share of the requests to its second target. The other target replaces one that is
 * unavailable.
 */
export const canary: Strategy = defineStrategy<CompiledCanary>({
  mode: 'canary',
  members: {
    /** Share of the second target, 0 to 100. */
    percentage: { type: 'number', minimum: 0, maximum: 100 },
    hash_fields: HASH_FIELDS,
  },
  check(settings, targets, path, report) {
    const here = [...path, 'strategy'];
    checkHashFields(settings['hash_fields'], [...here, 'hash_fields'], report);
    if (settings['percentage'] === undefined)
      report([...here, 'percentage'], 'required', 'is required in mode canary', undefined);
    if (targets.length > 0 && targets.length !== 2) {
      const message = 'must be two: the one in use, and the one on trial';
      report([...path, 'targets'], 'canary_targets', message, targets);
    }
  },
  subjects: (settings) => hashFieldsOf(settingsOf(settings).hash_fields),
  compile({ config, path, edges }) {
    const { percentage, hash_fields: fields } = settingsOf(config.strategy);
    const both = edges() as readonly [CompiledEdge, CompiledEdge];
    return Object.freeze({
      ...({ kind: 'strategy', strategy: canary, path, edges: both } as const),
      percentage,
      fields: hashFieldsOf(fields),
    });
  },
  choose({ edges, fields, percentage, path }, cursor) {
    const { facts, runtime } = cursor;
    const identity = fieldsOf(fields, facts, runtime.now());
    const point = identity === null ? runtime.random() : unitHash(`${facts.caller()}|${identity}|${path}`);
    const [picked, other] = point * 100 < percentage ? [edges[1], edges[0]] : edges;
    const fault = faultOf(picked.node, cursor, true);
    if (fault === null || severityOf(faultOf(other.node, cursor, true)) >= severityOf(fault)) return picked;
    cursor.note(picked.node.path, fault);
    return other;
  },
  fault: ({ edges }, situation, isChoice) =>
    commonFault(edges, (child) => faultOf(child, situation, isChoice)),
});
