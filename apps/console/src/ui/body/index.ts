export { readConversation, type LoggedBody } from './read-conversation';
export type { Conversation, Dialect, Message, Part } from './conversation';
export { BodyView, type BodyViewProps } from './body-view';
export { ConversationView, type ConversationViewProps } from './conversation-view';
export { Markdown } from './markdown';
export { Media } from './media';
