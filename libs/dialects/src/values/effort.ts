import type { Effort, Reasoning } from '../call';
import type { ModelCapabilities } from '../capabilities';

const ORDER: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Returns the effort of `known` that is nearest to the requested one: the same, else the next
 * stronger up to high, else the strongest.
 */
export function nearestEffort(wanted: Effort, known: readonly Effort[]): Effort | undefined {
  if (known.length === 0 || known.includes(wanted)) return wanted;
  const at = ORDER.indexOf(wanted);
  const stronger = known.find((effort) => ORDER.indexOf(effort) > at);
  const weaker = [...known].reverse().find((effort) => ORDER.indexOf(effort) < at);
  return at <= ORDER.indexOf('medium') ? (stronger ?? weaker) : (weaker ?? stronger);
}

/**
 * Returns the effort that a budget of reasoning tokens corresponds to: by its share of `maxTokens`,
 * or by Google's table when no maximum is known. Undefined lets the model decide.
 */
export function effortOfBudget({ budget }: Reasoning, maxTokens: number | undefined): Effort | undefined {
  if (budget === undefined || budget < 0) return undefined;
  if (budget === 0) return 'none';
  if (maxTokens === undefined) return budget <= 1_024 ? 'low' : budget <= 8_192 ? 'medium' : 'high';
  const share = budget / maxTokens;
  if (share < 0.35) return 'low';
  if (share < 0.65) return 'medium';
  return share < 0.9 ? 'high' : 'xhigh';
}

/**
 * Whether a model reasons for sure with the effort that it is sent. Undefined is the default of the
 * model, which may be `none` if it has that effort.
 */
export const reasonsForSure = (
  { isReasoning, efforts }: ModelCapabilities,
  effort: Effort | undefined,
): boolean => isReasoning && (effort === undefined ? !efforts.includes('none') : effort !== 'none');
