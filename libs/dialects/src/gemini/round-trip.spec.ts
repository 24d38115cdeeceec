import type { JsonObject } from '../call';
import { LossLedger } from '../losses';
import { VECTORS } from '../spec-support/vectors';
import { targetOf } from '../target';
import { geminiClient, geminiProvider } from './index';

function again(body: JsonObject, model = 'gemini-3-flash-preview'): JsonObject {
  const target = targetOf({ provider: 'vertex-ai', dialect: 'gemini', model });
  const losses = new LossLedger('strict', target);
  const encoded = geminiProvider.encodeCall(
    geminiClient.decodeCall(body, { model: target.model }),
    target,
    losses,
  );
  losses.check();
  expect(losses.losses).toEqual([]);
  return JSON.parse(JSON.stringify(encoded.body)) as JsonObject;
}

const REQUESTS: Readonly<Record<string, JsonObject>> = {
  'text and system text': {
    contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }],
    systemInstruction: { parts: [{ text: 'S' }] },
  },
  'an unknown member with the name of an inherited one': {
    contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    'constructor.name': 'b',
  },
  'calls with and without ids': {
    contents: [
      { role: 'user', parts: [{ text: 'w' }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
          { functionCall: { id: 'x1', name: 'f', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'f', response: { output: { deep: [1] } } } },
          { functionResponse: { id: 'x1', name: 'f', response: { error: 'no' } } },
        ],
      },
      { role: 'model', parts: [{ text: 'ok', thoughtSignature: 'b2s=' }] },
      { role: 'user', parts: [{ text: 'and?' }] },
    ],
  },
  media: {
    contents: [
      {
        role: 'user',
        parts: [
          {
            inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' },
            mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
          },
          {
            fileData: { fileUri: 'gs://b/v.mp4', mimeType: 'video/mp4' },
            videoMetadata: { startOffset: '1.5s', endOffset: '3s', fps: 2 },
          },
          {
            fileData: {
              fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1',
              mimeType: 'application/pdf',
            },
          },
        ],
      },
    ],
  },
  'tools, tool configuration and settings': {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
          },
          {
            name: 'g',
            parametersJsonSchema: {
              type: 'object',
              properties: { a: { $ref: '#/$defs/a' } },
              $defs: { a: {} },
            },
          },
        ],
      },
      { googleSearch: { excludeDomains: ['x.example'] } },
      { codeExecution: {} },
    ],
    toolConfig: {
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
      retrievalConfig: { latLng: { latitude: 1, longitude: 2 } },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    cachedContent: 'cachedContents/1',
    labels: { team: 'a' },
    modelArmorConfig: { x: 1 },
  },
  'generation configuration': {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: {
      temperature: 0,
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      candidateCount: 1,
      stopSequences: ['x'],
      seed: 1,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 3,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'INTEGER' } } },
      responseModalities: ['TEXT'],
      thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      audioTimestamp: true,
    },
  },
  'an enumeration': {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: {
      responseMimeType: 'text/x.enum',
      responseSchema: { type: 'STRING', enum: ['a', 'b'] },
    },
  },
};

describe('gemini: a request that is decoded and encoded again', () => {
  it.each(Object.entries(REQUESTS))('keeps %s', (_name, body) => {
    expect(again(body)).toEqual(body);
  });

  const vectors = VECTORS.filter(
    ({ from, kind, family }) => from === 'gemini' && kind === 'request' && family === undefined,
  );
  it.each(vectors.map((vector) => [vector.id, vector] as const))(
    'keeps the request of %s',
    (_id, { input }) => {
      // Contents without a role belong to the user.
      const contents = (input['contents'] as JsonObject[]).map((content) => ({ role: 'user', ...content }));
      expect(again(input, 'gemini-2.5-flash')).toEqual({ ...input, contents });
    },
  );

  it('reads both spellings of each member', () => {
    const snake = {
      contents: [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] }],
      system_instruction: { parts: { text: 'S' } },
      generation_config: {
        max_output_tokens: 5,
        thinking_config: { thinking_budget: 512 },
        audio_timestamp: true,
      },
      safety_settings: [{ category: 'a', threshold: 'b' }],
      cached_content: 'cachedContents/1',
      tools: { function_declarations: { name: 'f' } },
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
    };
    expect(again(snake)).toEqual({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
      systemInstruction: { parts: [{ text: 'S' }] },
      generationConfig: {
        maxOutputTokens: 5,
        thinkingConfig: { thinkingBudget: 512 },
        audio_timestamp: true,
      },
      safetySettings: [{ category: 'a', threshold: 'b' }],
      cachedContent: 'cachedContents/1',
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
  });
});
