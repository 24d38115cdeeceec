import { headersOf, scriptKey, scriptText, scriptValue, type Recipe } from './recipe';

export const langchainTypeScript: Recipe = {
  id: 'langchain-typescript',
  label: 'LangChain, TypeScript',
  language: 'typescript',
  needs: [],
  render: (values) => `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${scriptText(values.model)},
  apiKey: ${scriptKey(values)},
  configuration: {
    baseURL: ${scriptText(`${values.base}/v1`)},
    defaultHeaders: ${scriptValue(headersOf(values))},
  },
});
console.log((await model.invoke('Hello')).content);`,
};
