import { headersOf, scriptKey, scriptText, scriptValue, type Recipe } from './recipe';

export const vercelAiSdk: Recipe = {
  id: 'vercel-ai-sdk',
  label: 'Vercel AI SDK',
  language: 'typescript',
  needs: [],
  render: (values) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const tollgate = createOpenAICompatible({
  name: 'tollgate',
  baseURL: ${scriptText(`${values.base}/v1`)},
  apiKey: ${scriptKey(values)},
  headers: ${scriptValue(headersOf(values))},
});
const { text } = await generateText({ model: tollgate(${scriptText(values.model)}), prompt: 'Hello' });
console.log(text);`,
};
