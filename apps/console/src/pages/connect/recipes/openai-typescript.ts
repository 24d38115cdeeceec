import { greeting, headersOf, scriptKey, scriptText, scriptValue, type Recipe } from './recipe';

export const openAiTypeScript: Recipe = {
  id: 'openai-typescript',
  label: 'TypeScript',
  language: 'typescript',
  needs: [],
  render: (values) => {
    const body = values.body ?? { model: values.model, messages: greeting };
    return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${scriptText(`${values.base}/v1`)},
  apiKey: ${scriptKey(values)},
  defaultHeaders: ${scriptValue(headersOf(values))},
});
const response = await client.chat.completions.create(${scriptValue(body)});
console.log(response.choices[0].message.content);`;
  },
};
