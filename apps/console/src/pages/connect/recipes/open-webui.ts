import { shellKey, type Recipe } from './recipe';

export const openWebUi: Recipe = {
  id: 'open-webui',
  label: 'Open WebUI',
  language: 'shell',
  needs: ['default-config'],
  render: (values) => `docker run -p 3000:8080 \\
  -e OPENAI_API_BASE_URL="${values.base}/v1" \\
  -e OPENAI_API_KEY="${shellKey(values)}" \\
  -v open-webui:/app/backend/data \\
  ghcr.io/open-webui/open-webui:main`,
};
