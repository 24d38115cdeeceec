import { flag, integer, optional, port, secret, text } from '@gw/kernel';
import { ADMIN_SETTINGS } from '../settings';

const key = optional(text());

/** Environment variable, catalogue id, slug and name of each provider whose key may lie in the environment. */
export const PROVIDER_KEYS = [
  ['OPENAI_API_KEY', 'openai', 'openai', 'OpenAI'],
  ['ANTHROPIC_API_KEY', 'anthropic', 'anthropic', 'Anthropic'],
  ['GEMINI_API_KEY', 'google', 'google', 'Google Gemini'],
  ['GROQ_API_KEY', 'groq', 'groq', 'Groq'],
  ['MISTRAL_API_KEY', 'mistral-ai', 'mistral', 'Mistral'],
  ['DEEPSEEK_API_KEY', 'deepseek', 'deepseek', 'DeepSeek'],
  ['OPENROUTER_API_KEY', 'openrouter', 'openrouter', 'OpenRouter'],
  ['COHERE_API_KEY', 'cohere', 'cohere', 'Cohere'],
  ['TOGETHER_API_KEY', 'together-ai', 'together', 'Together AI'],
  ['FIREWORKS_API_KEY', 'fireworks-ai', 'fireworks', 'Fireworks AI'],
  ['XAI_API_KEY', 'x-ai', 'xai', 'xAI'],
  ['PERPLEXITY_API_KEY', 'perplexity-ai', 'perplexity', 'Perplexity'],
] as const;

const PROVIDER_SETTINGS = Object.fromEntries(PROVIDER_KEYS.map(([name]) => [name, key])) as Record<
  (typeof PROVIDER_KEYS)[number][0],
  typeof key
>;

const {
  DATABASE_URL,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  SERVICE_TOKEN,
  ADMIN_PORT,
  HOST,
  API_KEY_PREFIX,
  TRUSTED_CUSTOM_HOSTS,
  AUDIT_LOGS_ENABLED,
  LOG_LEVEL,
  DB_SSL,
  DB_SSL_CA,
  DB_SSL_CERT,
  DB_SSL_KEY,
} = ADMIN_SETTINGS;

/** Settings of the set-up: those that it shares with the admin API, and its own. */
export const SETUP_SETTINGS = {
  DATABASE_URL,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  SERVICE_TOKEN,
  ADMIN_PORT,
  HOST,
  API_KEY_PREFIX,
  TRUSTED_CUSTOM_HOSTS,
  AUDIT_LOGS_ENABLED,
  LOG_LEVEL,
  DB_SSL,
  DB_SSL_CA,
  DB_SSL_CERT,
  DB_SSL_KEY,
  GATEWAY_PORT: port(8787),
  /** Where the first set-up of an empty database writes its credentials, with mode 0600. Absent: it takes OWNER_PASSWORD and issues no keys. */
  CREDENTIALS_FILE: optional(text()),
  /** How long a database that does not answer yet is waited for. */
  DATABASE_WAIT_SECONDS: integer({ min: 0, max: 3_600 }, 60),
  OWNER_EMAIL: text('owner@tollgate.local'),
  /** Of the owner that an empty database gets; later set-ups ignore it. Absent: a generated one. */
  OWNER_PASSWORD: optional(secret(12)),
  SANDBOX_ENABLED: flag(false),
  ...PROVIDER_SETTINGS,
};
