/** Kinds of requests with the responses of the provider. */
export const SCENARIOS = [
  'plain',
  'tools',
  'parallel tools',
  'structured output',
  'image',
  'pdf',
  'reasoning',
  'error',
  'stream',
  'stream cut',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The contents of a provider's response, whatever its dialect. */
export interface Reply {
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly ToolCall[];
  readonly streams: boolean;
  /** Whether the connection ends in the middle. */
  readonly cut: boolean;
}

/** The result that a client's SDK returns to its user. */
export interface Outcome {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reasoning: string;
  /** Whether the SDK regards the response as complete. */
  readonly complete: boolean;
  readonly input: number;
  readonly output: number;
}

export const QUESTION = 'What is the weather in Paris?';
export const TEXT = 'Sunny in Paris.';
export const REASONING = 'The user asks for the weather.';
export const JSON_TEXT = '{"city":"Paris"}';
export const INPUT_TOKENS = 12;
export const OUTPUT_TOKENS = 5;
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n').toString('base64');
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const TOOL = 'get_weather';
export const DESCRIPTION = 'Reads the weather of a city';
/** Calls of an earlier turn, with their results. */
export const EARLIER: readonly (ToolCall & { readonly result: string })[] = [
  { id: 'call_of_an_earlier_turn-1', name: TOOL, input: { city: 'Rome' }, result: '18 degrees' },
  { id: 'call_of_an_earlier_turn-2', name: TOOL, input: { city: 'Oslo' }, result: '7 degrees' },
];
const NEW_CALLS: readonly ToolCall[] = [
  { id: 'call00003', name: TOOL, input: { city: 'Paris' } },
  { id: 'call00004', name: TOOL, input: { city: 'Lyon' } },
];

/** Number of tool calls in a response. A stream has all that a response can have. */
export const callsIn = (scenario: Scenario): number =>
  scenario === 'parallel tools' || scenario === 'stream' ? 2 : scenario === 'tools' ? 1 : 0;

/** Calls of earlier turns that a client sends back with their results. */
export const earlierIn = (scenario: Scenario): typeof EARLIER =>
  EARLIER.slice(0, isStreamed(scenario) ? 0 : callsIn(scenario));

export const isStreamed = (scenario: Scenario): boolean => scenario.startsWith('stream');

export const isReasoned = (scenario: Scenario): boolean => scenario === 'reasoning' || scenario === 'stream';

export function replyTo(scenario: Scenario): Reply {
  const calls = NEW_CALLS.slice(0, callsIn(scenario));
  const said = scenario === 'structured output' ? JSON_TEXT : TEXT;
  return {
    text: scenario.endsWith('tools') ? null : said,
    reasoning: isReasoned(scenario) ? REASONING : null,
    calls,
    streams: isStreamed(scenario),
    cut: scenario === 'stream cut',
  };
}

/** Texts of the client's call that its provider must get, whatever the dialect. */
export function neededIn(scenario: Scenario): readonly string[] {
  if (scenario === 'image') return [QUESTION, PNG];
  if (scenario === 'pdf') return [QUESTION, PDF];
  if (scenario === 'structured output') return [QUESTION, '"city"'];
  return callsIn(scenario) > 0 ? [QUESTION, TOOL, DESCRIPTION] : [QUESTION];
}

/** Pieces in which a stream carries a text. */
export const wordsOf = (text: string | null): readonly string[] => text?.split(/(?= )/) ?? [];

/** The arguments of a call in two pieces. */
export function halvesOf(input: ToolCall['input']): readonly string[] {
  const whole = JSON.stringify(input);
  return [whole.slice(0, 4), whole.slice(4)];
}
