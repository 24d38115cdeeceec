import { greeting, headersOf, pythonKey, pythonValue, type Recipe } from './recipe';

export const openAiPython: Recipe = {
  id: 'openai-python',
  label: 'Python',
  language: 'python',
  needs: [],
  render: (values) => {
    const body = values.body ?? { model: values.model, messages: greeting };
    const members = Object.entries(body).map(([name, value]) => `${name}=${pythonValue(value)}`);
    return `${values.key === null ? 'import os\n' : ''}from openai import OpenAI

client = OpenAI(
    base_url="${values.base}/v1",
    api_key=${pythonKey(values)},
    default_headers=${pythonValue(headersOf(values))},
)
response = client.chat.completions.create(
    ${members.join(',\n    ')},
)
print(response.choices[0].message.content)`;
  },
};
