import type { MediaPart } from '../call';
import { capabilitiesOf } from '../capabilities';
import type { Target } from '../target';
import { asString } from '../values/json';

/**
 * How a family of models on Bedrock is controlled; the maker's own members are not the same for
 * all.
 */
export interface BedrockModel {
  /** Id without region and version of the profile: `anthropic.claude-sonnet-4-5-20250929-v1:0`. */
  readonly id: string;
  readonly family: 'claude' | 'nova' | 'other';
  /** Whether `outputConfig.textFormat` and strict tools are taken. */
  readonly textFormat: boolean;
  /** Tool choices: any of them; `any` and `auto`; `auto` only. */
  readonly toolChoice: 'all' | 'any' | 'auto';
  /** How reasoning is controlled. */
  readonly reasoning: 'claude' | 'nova' | 'effort' | 'none';
  /** Where `top_k` is sent; null when the model has none. */
  readonly topK: 'top_k' | 'inferenceConfig.topK' | null;
  /** Whether the status of a tool result is taken. */
  readonly resultStatus: boolean;
  /** Whether tools may be followed by a cache point. */
  readonly toolCache: boolean;
  /** Whether a cache point may have a lifetime. */
  readonly cacheTtl: boolean;
  /** Whether ids of tool calls have nine letters and digits. */
  readonly shortIds: boolean;
  /** Media that the model takes besides images and documents. */
  readonly media: ReadonlySet<MediaPart['media']>;
}

const NO_MEDIA: ReadonlySet<MediaPart['media']> = new Set();
const AUDIO: ReadonlySet<MediaPart['media']> = new Set<MediaPart['media']>(['audio']);
const VIDEO: ReadonlySet<MediaPart['media']> = new Set<MediaPart['media']>(['video']);
const ALL_MEDIA: ReadonlySet<MediaPart['media']> = new Set<MediaPart['media']>(['audio', 'video']);

type Facts = Omit<BedrockModel, 'id'>;

const OTHER: Facts = {
  family: 'other',
  textFormat: false,
  toolChoice: 'all',
  reasoning: 'none',
  topK: null,
  resultStatus: false,
  toolCache: false,
  cacheTtl: false,
  shortIds: false,
  media: ALL_MEDIA,
};
const CLAUDE: Facts = {
  ...OTHER,
  family: 'claude',
  reasoning: 'claude',
  topK: 'top_k',
  resultStatus: true,
  toolCache: true,
  cacheTtl: true,
  media: NO_MEDIA,
};
const NOVA: Facts = {
  ...OTHER,
  family: 'nova',
  topK: 'inferenceConfig.topK',
  resultStatus: true,
  media: VIDEO,
};
const OPEN_WEIGHTS: Facts = { ...OTHER, textFormat: true, media: NO_MEDIA };
const MISTRAL: Facts = { ...OTHER, toolChoice: 'any', topK: 'top_k', shortIds: true, media: NO_MEDIA };

/**
 * The first matching prefix of the id applies. Claude models after Opus 4.6 support output schemas
 * only on Anthropic's own API. Source: AWS's guides to the Converse API, to structured outputs, and
 * to Nova, November 2026.
 */
const ROWS: readonly (readonly [prefix: string, facts: Facts])[] = [
  ['anthropic.claude-haiku-4-5', { ...CLAUDE, textFormat: true }],
  ['anthropic.claude-sonnet-4-5', { ...CLAUDE, textFormat: true }],
  ['anthropic.claude-opus-4-5', { ...CLAUDE, textFormat: true }],
  ['anthropic.claude-opus-4-6', { ...CLAUDE, textFormat: true }],
  ['anthropic.claude-sonnet-4-6', { ...CLAUDE, textFormat: true }],
  ['anthropic.', CLAUDE],
  ['amazon.nova-2', { ...NOVA, reasoning: 'nova', media: ALL_MEDIA }],
  ['amazon.nova', NOVA],
  ['amazon.', { ...OTHER, media: NO_MEDIA }],
  ['openai.', { ...OPEN_WEIGHTS, reasoning: 'effort' }],
  ['meta.', { ...OTHER, toolChoice: 'auto', media: NO_MEDIA }],
  ['mistral.voxtral', { ...MISTRAL, textFormat: true, media: AUDIO }],
  ['mistral.ministral', { ...MISTRAL, textFormat: true }],
  ['mistral.magistral', { ...MISTRAL, textFormat: true }],
  ['mistral.mistral-large-3', { ...MISTRAL, textFormat: true }],
  ['mistral.', MISTRAL],
  ['cohere.', { ...OTHER, toolChoice: 'auto', media: NO_MEDIA }],
  ['ai21.', { ...OTHER, toolChoice: 'auto', media: NO_MEDIA }],
  ['deepseek.r1', { ...OTHER, media: NO_MEDIA }],
  ['deepseek.', OPEN_WEIGHTS],
  ['qwen.', OPEN_WEIGHTS],
  ['google.', OPEN_WEIGHTS],
  ['minimax.', OPEN_WEIGHTS],
  ['moonshot', OPEN_WEIGHTS],
  ['nvidia.', OPEN_WEIGHTS],
];

/** Prefixes of inference profiles, which name the region in which a model runs. */
const REGIONS = ['us.', 'eu.', 'apac.', 'jp.', 'au.', 'ca.', 'global.', 'us-gov.'];

/** Returns the id of the model without ARN and region prefix. */
export function baseId(model: string): string {
  const id = model.slice(model.lastIndexOf('/') + 1);
  const region = REGIONS.find((prefix) => id.startsWith(prefix));
  return region === undefined ? id : id.slice(region.length);
}

/**
 * Returns whether an ARN does not name its model, which the setting `aws_bedrock_model` then does.
 */
const isHidden = (model: string): boolean =>
  /^arn:[^/]*:(?:application-inference-profile|provisioned-model|custom-model)/.test(model);

const namedModel = ({ settings, model }: Target): string =>
  (isHidden(model) ? asString(settings?.['aws_bedrock_model']) : null) ?? model;

/** Returns the model of a target. */
export function modelOf(target: Target): BedrockModel {
  const id = baseId(namedModel(target));
  const row = ROWS.find(([prefix]) => id.startsWith(prefix));
  return { id, ...(row?.[1] ?? OTHER) };
}

/** Returns the target with the capabilities of the model that a hidden ARN names. */
export function resolvedTarget(target: Target): Target {
  const named = namedModel(target);
  return named === target.model ? target : { ...target, capabilities: capabilitiesOf(named) };
}
