import { plainPath } from './plain-path';

/**
 * Whether a passthrough path returns access to its provider: a short-lived key, a signed URL, a
 * WebRTC or SIP session, or a new account key. Requests made with that access do not pass the
 * gateway. Covers the APIs of OpenAI (and Azure, xAI), Gemini, ElevenLabs, Deepgram, AssemblyAI and
 * Cartesia.
 */
export const handsOutAccess = (url: string): boolean => {
  const path = plainPath(url);
  return BELOW.test(path) || LAST.test(path);
};

const BELOW = /\/(?:realtime(?:api)?|single-use-token)\/[^/]/i;
const LAST =
  /\/(?:auth_?tokens|chatkit\/sessions|get[-_]signed[-_]url|conversation\/token|auth\/grant|access-token|v3\/token|service_accounts|(?:admin_)?api_?keys|keys)$/i;
