import { headersOf, shellKey, type Recipe } from './recipe';

export const n8n: Recipe = {
  id: 'n8n',
  label: 'n8n',
  language: 'text',
  needs: [],
  render: (values) => {
    const [header] = Object.entries(headersOf(values));
    return `Credentials → New → OpenAI
API Key: ${shellKey(values)}
Base URL: ${values.base}/v1${
      header === undefined
        ? ''
        : `\nAdd Custom Header: on\nHeader Name: ${header[0]}\nHeader Value: ${header[1]}`
    }
OpenAI Chat Model → Model: ${values.model}`;
  },
};
