/**
 * Features of a model, as data. A pattern is a prefix of the model's name without region and
 * publisher (`us.anthropic.`, `models/`).
 */
export interface ModelCapabilities {
  /**
   * Whether the model accepts temperature, top_p and top_k; `one`: temperature or top_p, not both.
   */
  readonly sampling: 'all' | 'one' | 'none';
  /**
   * Forms of reasoning control. `adaptive`: Claude. `budget`: Claude and Cohere. `level`,
   * `google-budget`: Gemini. `effort`: OpenAI.
   */
  readonly reasoning: 'none' | 'effort' | 'adaptive' | 'budget' | 'level' | 'google-budget';
  /** Whether an adaptive Claude model also accepts a budget of thinking tokens. */
  readonly thinkingBudget: boolean;
  /** Whether a prompt of the provider, `prompt_mode`, makes the model reason (Magistral). */
  readonly reasoningPrompt: boolean;
  /** Efforts that the model has, weakest first. */
  readonly efforts: readonly ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max')[];
  /** Whether a JSON Schema of the output, and `strict` of a tool, are enforced by the model. */
  readonly jsonSchema: boolean;
  /** Whether the last turn may be the beginning of the response (prefill). */
  readonly prefill: boolean;
  /** Whether a system message may follow other messages. */
  readonly laterSystem: boolean;
  /** Largest `max_tokens`; null when unknown. */
  readonly maxOutput: number | null;
  /**
   * Whether the model refuses `max_tokens`, sampling and `stop`, as OpenAI's reasoning models do.
   */
  readonly isReasoning: boolean;
  /** Whether tool calls have ids of the provider (Gemini 3 and later). */
  readonly toolCallIds: boolean;
  /** Whether the reasoning text of a conversation must be sent back with its tool calls. */
  readonly replaysReasoning: boolean;
  /** Whether the provider marks cache breakpoints on parts. */
  readonly cacheBreakpoints: boolean;
  /** Largest reasoning budget in tokens; null when unknown. */
  readonly budgetMax: number | null;
  /** Smallest accepted reasoning budget, 0 if reasoning can be disabled; null when it cannot be. */
  readonly budgetMin: number | null;
}

const DEFAULTS: ModelCapabilities = {
  sampling: 'all',
  reasoning: 'none',
  thinkingBudget: false,
  reasoningPrompt: false,
  efforts: [],
  jsonSchema: true,
  prefill: false,
  laterSystem: true,
  maxOutput: null,
  isReasoning: false,
  toolCallIds: true,
  replaysReasoning: false,
  cacheBreakpoints: false,
  budgetMax: null,
  budgetMin: 0,
};

type Row = readonly [prefix: string, capabilities: Partial<ModelCapabilities>];

const CLAUDE: Partial<ModelCapabilities> = { laterSystem: false, reasoning: 'adaptive' };
const CLAUDE_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** Models that are newer than those with rows of their own. */
const NEWER: Partial<ModelCapabilities> = {
  ...CLAUDE,
  sampling: 'none',
  efforts: CLAUDE_EFFORTS,
  laterSystem: true,
  maxOutput: 128_000,
};
/** The first models of the number 4, whose names may end in a date. */
const SONNET_4: Partial<ModelCapabilities> = {
  ...CLAUDE,
  reasoning: 'budget',
  jsonSchema: false,
  prefill: true,
  maxOutput: 64_000,
};
const OPUS_4: Partial<ModelCapabilities> = { ...SONNET_4, maxOutput: 32_000 };

/**
 * The first row with a matching prefix applies; an unknown `claude-` name counts as a newer model.
 * Source: Anthropic's model and migration guides, November 2026.
 */
const CLAUDE_ROWS: readonly Row[] = [
  [
    'claude-opus-4-6',
    {
      ...CLAUDE,
      sampling: 'all',
      thinkingBudget: true,
      efforts: ['low', 'medium', 'high', 'max'],
      maxOutput: 128_000,
    },
  ],
  [
    'claude-sonnet-4-6',
    {
      ...CLAUDE,
      sampling: 'all',
      thinkingBudget: true,
      efforts: ['low', 'medium', 'high', 'max'],
      maxOutput: 128_000,
    },
  ],
  [
    'claude-opus-4-5',
    {
      ...CLAUDE,
      sampling: 'one',
      reasoning: 'budget',
      efforts: ['low', 'medium', 'high'],
      prefill: true,
      maxOutput: 64_000,
    },
  ],
  [
    'claude-sonnet-4-5',
    { ...CLAUDE, sampling: 'one', reasoning: 'budget', prefill: true, maxOutput: 64_000 },
  ],
  ['claude-haiku-4-5', { ...CLAUDE, sampling: 'one', reasoning: 'budget', prefill: true, maxOutput: 64_000 }],
  ['claude-opus-4-1', { ...CLAUDE, reasoning: 'budget', prefill: true, maxOutput: 32_000 }],
  ['claude-opus-4-7', { ...CLAUDE, sampling: 'none', efforts: CLAUDE_EFFORTS, maxOutput: 128_000 }],
  ['claude-opus-4-8', NEWER],
  ['claude-opus-4-0', OPUS_4],
  ['claude-opus-4-2025', OPUS_4],
  ['claude-opus-4-', NEWER],
  ['claude-opus-4', OPUS_4],
  ['claude-sonnet-4-0', SONNET_4],
  ['claude-sonnet-4-2025', SONNET_4],
  ['claude-sonnet-4-', NEWER],
  ['claude-sonnet-4', SONNET_4],
  ['claude-3-7', SONNET_4],
  ['claude-3-5', { ...CLAUDE, reasoning: 'none', jsonSchema: false, prefill: true, maxOutput: 8_192 }],
  ['claude-3', { ...CLAUDE, reasoning: 'none', jsonSchema: false, prefill: true, maxOutput: 4_096 }],
  ['claude-2', { ...CLAUDE, reasoning: 'none', jsonSchema: false, prefill: true, maxOutput: 4_096 }],
  ['claude-', NEWER],
];

/** Source: Google's compatibility table of thinking levels and budgets, November 2026. */
const GEMINI_ROWS: readonly Row[] = [
  [
    'gemini-2.5-pro',
    {
      reasoning: 'google-budget',
      budgetMax: 32_768,
      budgetMin: 128,
      toolCallIds: false,
      laterSystem: false,
      maxOutput: 65_536,
    },
  ],
  [
    'gemini-2.5',
    {
      reasoning: 'google-budget',
      budgetMax: 24_576,
      toolCallIds: false,
      laterSystem: false,
      maxOutput: 65_536,
    },
  ],
  ['gemini-2', { jsonSchema: false, toolCallIds: false, laterSystem: false, maxOutput: 8_192 }],
  ['gemini-1', { jsonSchema: false, toolCallIds: false, laterSystem: false, maxOutput: 8_192 }],
  ['gemini-3-pro', { reasoning: 'level', efforts: ['low', 'high'], laterSystem: false, maxOutput: 65_536 }],
  [
    'gemini-3.1-pro',
    { reasoning: 'level', efforts: ['low', 'medium', 'high'], laterSystem: false, maxOutput: 65_536 },
  ],
  [
    'gemini-',
    {
      reasoning: 'level',
      efforts: ['minimal', 'low', 'medium', 'high'],
      laterSystem: false,
      maxOutput: 65_536,
    },
  ],
];

/** Source: OpenAI's model guide, November 2026. */
const OPENAI_REASONING: Partial<ModelCapabilities> = {
  sampling: 'none',
  reasoning: 'effort',
  isReasoning: true,
  maxOutput: 128_000,
};
const OPENAI_ROWS: readonly Row[] = [
  ['gpt-5-chat', { maxOutput: 16_384 }],
  ['gpt-5-', { ...OPENAI_REASONING, efforts: ['minimal', 'low', 'medium', 'high'] }],
  ['gpt-5.1', { ...OPENAI_REASONING, efforts: ['none', 'low', 'medium', 'high'] }],
  [
    'gpt-5.',
    { ...OPENAI_REASONING, efforts: ['none', 'low', 'medium', 'high', 'xhigh'], cacheBreakpoints: true },
  ],
  ['gpt-5', { ...OPENAI_REASONING, efforts: ['minimal', 'low', 'medium', 'high'] }],
  ['o1', { ...OPENAI_REASONING, efforts: ['low', 'medium', 'high'], maxOutput: 100_000 }],
  ['o3', { ...OPENAI_REASONING, efforts: ['low', 'medium', 'high'], maxOutput: 100_000 }],
  ['o4', { ...OPENAI_REASONING, efforts: ['low', 'medium', 'high'], maxOutput: 100_000 }],
  ['gpt-oss', { reasoning: 'effort', efforts: ['low', 'medium', 'high'] }],
  ['gpt-4.1', { maxOutput: 32_768 }],
  ['gpt-4o', { maxOutput: 16_384 }],
];

/** Source: Mistral's reasoning guide, November 2026. */
const MISTRAL_ROWS: readonly Row[] = [
  ['magistral', { reasoning: 'effort', reasoningPrompt: true }],
  ['mistral-large-4', { reasoning: 'effort', efforts: ['none', 'low', 'medium', 'high'] }],
  ['mistral-medium-3-5', { reasoning: 'effort', efforts: ['none', 'high'] }],
  ['mistral-medium-3.5', { reasoning: 'effort', efforts: ['none', 'high'] }],
  ['mistral-small-2603', { reasoning: 'effort', efforts: ['none', 'high'] }],
  ['mistral-small-latest', { reasoning: 'effort', efforts: ['none', 'high'] }],
];

/**
 * A `command-` model without a row counts as a newer one that reasons. Source: Cohere's model list,
 * November 2026.
 */
const COHERE_ROWS: readonly Row[] = [
  ['command-a-03', { maxOutput: 8_192 }],
  ['command-a-vision', { maxOutput: 8_192 }],
  ['command-a-translate', { maxOutput: 8_192 }],
  ['command-r', { maxOutput: 4_096 }],
  ['command-light', {}],
  ['command-nightly', {}],
  ['command-', { reasoning: 'budget', maxOutput: 32_768 }],
];

/**
 * DeepSeek's older reasoning models refuse their own reasoning text. Source: DeepSeek's guide of
 * thinking mode, November 2026.
 */
const DEEPSEEK_ROWS: readonly Row[] = [['deepseek-v4', { replaysReasoning: true }]];

const ROWS: readonly Row[] = [
  ...CLAUDE_ROWS,
  ...GEMINI_ROWS,
  ...OPENAI_ROWS,
  ...MISTRAL_ROWS,
  ...COHERE_ROWS,
  ...DEEPSEEK_ROWS,
];

/** Prefixes of model names that name a region or a publisher instead of the model. */
const WRAPPERS = [
  'models/',
  'publishers/',
  'google/',
  'openai/',
  'anthropic/',
  'us.',
  'eu.',
  'apac.',
  'jp.',
  'au.',
  'ca.',
  'global.',
  'us-gov.',
  'anthropic.',
  'openai.',
  'google.',
];

/**
 * Returns a model's name without region, publisher and collection: `us.anthropic.claude-opus-4-8`
 * gives `claude-opus-4-8`.
 */
export function bareModel(model: string): string {
  let name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  for (let wrapped = true; wrapped;) {
    wrapped = false;
    for (const prefix of WRAPPERS) {
      if (!name.startsWith(prefix)) continue;
      name = name.slice(prefix.length);
      wrapped = true;
    }
  }
  return name;
}

/** Returns the capabilities of a model; the defaults for a model without a row. */
export function capabilitiesOf(model: string): ModelCapabilities {
  const name = bareModel(model);
  const row = ROWS.find(([prefix]) => name.startsWith(prefix));
  return row === undefined ? DEFAULTS : { ...DEFAULTS, ...row[1] };
}
