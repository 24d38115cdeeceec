import { plainPath } from './plain-path';

/**
 * Whether a passthrough path hands out access to its provider: a short-lived key, a signed address, a WebRTC or SIP session, or a new key of
 * an account. What is done with it does not come through the gateway. The APIs of OpenAI (and Azure, xAI), Gemini, ElevenLabs, Deepgram,
 * AssemblyAI and Cartesia.
 */
export const handsOutAccess = (url: string): boolean => {
  const path = plainPath(url);
  return BELOW.test(path) || LAST.test(path);
};

const BELOW = /\/(?:realtime(?:api)?|single-use-token)\/[^/]/i;
const LAST =
  /\/(?:auth_?tokens|chatkit\/sessions|get[-_]signed[-_]url|conversation\/token|auth\/grant|access-token|v3\/token|service_accounts|(?:admin_)?api_?keys|keys)$/i;
