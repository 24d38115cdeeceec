import type { CheckDefinition } from './check';
import { addPrefix } from './checks/add-prefix';
import { allowedRequestTypes } from './checks/allowed-request-types';
import { contains } from './checks/contains';
import { containsCode } from './checks/contains-code';
import { characterCount, sentenceCount, wordCount } from './checks/counts';
import { endsWith } from './checks/ends-with';
import { gibberish } from './checks/gibberish';
import { inlineImageUrls } from './checks/inline-image-urls';
import { jsonKeys } from './checks/json-keys';
import { jsonSchema } from './checks/json-schema';
import { jwt } from './checks/jwt';
import { language } from './checks/language';
import { allLowercase, allUppercase } from './checks/letter-case';
import { log } from './checks/log';
import { modelRules } from './checks/model-rules';
import { modelWhitelist } from './checks/model-whitelist';
import { notNull } from './checks/not-null';
import { pii } from './checks/pii';
import { profanity } from './checks/profanity';
import { promptInjection } from './checks/prompt-injection';
import { regexMatch } from './checks/regex-match';
import { regexReplace } from './checks/regex-replace';
import { requestParameters } from './checks/request-parameters';
import { requiredMetadataKeyPairs, requiredMetadataKeys } from './checks/required-metadata';
import { secrets } from './checks/secrets';
import { urlAllowlist } from './checks/url-allowlist';
import { validUrls } from './checks/valid-urls';
import { webhook } from './checks/webhook';
import { llmJudge } from './models/llm-judge';
import { moderateContent } from './models/moderate-content';
import { topic } from './models/topic';
import { PARTNER_CHECKS } from './partners/partner-check';

export const MODEL_CHECKS: readonly CheckDefinition[] = [topic, llmJudge, moderateContent];

/** All checks. Adding one takes one line here. */
export const CHECKS: readonly CheckDefinition[] = [
  regexMatch,
  regexReplace,
  contains,
  wordCount,
  characterCount,
  sentenceCount,
  jsonSchema,
  jsonKeys,
  validUrls,
  containsCode,
  allUppercase,
  allLowercase,
  endsWith,
  notNull,
  modelWhitelist,
  modelRules,
  allowedRequestTypes,
  requiredMetadataKeys,
  requiredMetadataKeyPairs,
  requestParameters,
  jwt,
  addPrefix,
  inlineImageUrls,
  webhook,
  log,
  pii,
  promptInjection,
  secrets,
  urlAllowlist,
  profanity,
  language,
  gibberish,
  ...MODEL_CHECKS,
  ...PARTNER_CHECKS,
];
