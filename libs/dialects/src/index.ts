export {
  editedBody,
  invokeCall,
  invokeEdits,
  invokeTokensCall,
  InvokeStream,
  type BodyEdits,
  type InvokeFacts,
} from './bedrock-invoke';
export type {
  CacheMark,
  CallMember,
  CallPaths,
  Citation,
  Dialect,
  Effort,
  Extensions,
  HostedPart,
  JsonObject,
  MediaPart,
  ModelCall,
  OutputFormat,
  Part,
  Reasoning,
  ReasoningPart,
  Seal,
  SystemPart,
  TextPart,
  Tool,
  ToolCallPart,
  ToolChoice,
  ToolResultPart,
  Turn,
  WebSearch,
} from './call';
export { pathOf } from './call';
export { bareModel, capabilitiesOf, type ModelCapabilities } from './capabilities';
export { classOfStatus, FAULT_WORDS } from './errors/classes';
export type {
  CallAddress,
  ClientCodec,
  ClientContext,
  ClientTokenCounter,
  ProviderCall,
  ProviderCodec,
  ProviderContext,
  ProviderTokenCounter,
  StreamDecoder,
  StreamEncoder,
  TokenCount,
} from './codec';
export { decodeUsage as converseUsage } from './bedrock-converse/usage';
export { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
export { readUsage as cohereUsage } from './cohere-v2/usage';
export { translateEmbeddings, type TranslatedEmbeddings } from './families/embeddings/translate-embeddings';
export { geminiToOpenAiEmbeddings, type GeminiEmbeddings } from './families/embeddings/gemini-client';
export { EMBEDDINGS_FORMS, IMAGES_FORMS, RERANK_FORMS } from './families/forms';
export type { ImagesOutcome } from './families/images/images';
export { translateImages, type TranslatedImages } from './families/images/translate-images';
export { translateRerank, type TranslatedRerank } from './families/rerank/translate-rerank';
export { geminiModel, geminiModels } from './gemini/models';
export { cachedTokens } from './openai-chat/usage';
export { readUsage as ollamaUsage } from './ollama/response-reader';
export { modelPath as geminiPath } from './gemini/encode-call';
export { mergedUsage } from './anthropic-messages/usage';
export { invalid, lossHeader, LossLedger, unsupported } from './losses';
export {
  NO_TOKENS,
  type Candidate,
  type FaultClass,
  type Finish,
  type Logprob,
  type ModelResponse,
  type ProviderFault,
  type StreamEvent,
  type TokenUsage,
} from './response';
export { fold } from './stream/fold';
export { LineText } from './stream/line-text';
export { targetOf, type ProviderTraits, type Target } from './target';
export {
  prepareCall,
  StreamTranslation,
  translateCall,
  translationName,
  type PreparedCall,
  type ResponseTranslation,
  type TranslatedCall,
  type TranslationFacts,
} from './translate';
export { readCount, readDetail } from './values/counts';
export { asObject, asString, parseObject } from './values/json';
