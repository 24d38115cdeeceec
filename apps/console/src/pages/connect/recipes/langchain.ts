import { headersOf, pythonKey, pythonValue, type Recipe } from './recipe';

export const langchain: Recipe = {
  id: 'langchain',
  label: 'LangChain',
  language: 'python',
  needs: [],
  render: (values) => `${values.key === null ? 'import os\n' : ''}from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${JSON.stringify(values.model)},
    base_url="${values.base}/v1",
    api_key=${pythonKey(values)},
    default_headers=${pythonValue(headersOf(values))},
)
print(model.invoke("Hello").content)`,
};
