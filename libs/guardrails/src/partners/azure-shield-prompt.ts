import { isObject } from '@gw/kernel';
import { objectsOf } from '../json';
import { AZURE_PARAMETERS, azureCall } from './azure-content-safety';
import type { PartnerDefinition } from './partner';

export const azureShieldPrompt: PartnerDefinition = {
  id: 'azure.shieldPrompt',
  doc: 'Azure AI Content Safety, Prompt Shields: attacks in user prompts and in attached documents.',
  parameters: AZURE_PARAMETERS,
  ...azureCall('text:shieldPrompt'),
  example: { endpoint: 'https://safety.cognitiveservices.azure.com', apiKey: 'a-key-of-the-partner' },
  scope: ['last_message'],
  textLengthMax: 10_000,
  textsMax: 1,
  body: ([userPrompt = '']) => ({ userPrompt, documents: [] }),
  read(response) {
    const prompt = isObject(response) ? response['userPromptAnalysis'] : undefined;
    if (!isObject(response) || !isObject(prompt) || typeof prompt['attackDetected'] !== 'boolean')
      return null;
    const inDocuments = objectsOf(response['documentsAnalysis']).some(
      (each) => each['attackDetected'] === true,
    );
    const flagged = prompt['attackDetected'] || inDocuments;
    return { flagged, data: { attackDetected: flagged } };
  },
};
