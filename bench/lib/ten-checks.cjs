'use strict';

/** Ten typical checks of a workspace; requests of the benchmarks pass them all. */
const TEN = [
  { id: 'default.regexMatch', parameters: { rule: '\\b\\d{3}-\\d{2}-\\d{4}\\b', not: true, scope: ['all'] } },
  { id: 'default.regexReplace', parameters: { rule: 'project-[a-z]+' } },
  { id: 'default.contains', parameters: { words: ['confidential', 'secret'], operator: 'none' } },
  { id: 'default.wordCount', parameters: { maxWords: 5_000 } },
  { id: 'default.characterCount', parameters: { maxCharacters: 50_000 } },
  { id: 'default.sentenceCount', parameters: { maxSentences: 500 } },
  { id: 'default.modelWhitelist', parameters: { models: ['gpt-4o-mini'] } },
  { id: 'default.allowedRequestTypes', parameters: { allowedTypes: ['chatComplete'] } },
  { id: 'default.requiredMetadataKeys', parameters: { metadataKeys: ['team'] } },
  { id: 'default.requestParametersCheck', parameters: { tools: { blockedTypes: ['file_search'] } } },
];

module.exports = { TEN };
