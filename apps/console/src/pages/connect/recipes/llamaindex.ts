import { headersOf, pythonKey, pythonValue, type Recipe } from './recipe';

export const llamaIndex: Recipe = {
  id: 'llamaindex',
  label: 'LlamaIndex',
  language: 'python',
  needs: [],
  render: (
    values,
  ) => `${values.key === null ? 'import os\n' : ''}from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(
    model=${JSON.stringify(values.model)},
    api_base="${values.base}/v1",
    api_key=${pythonKey(values)},
    default_headers=${pythonValue(headersOf(values))},
    is_chat_model=True,
)
print(llm.complete("Hello"))`,
};
