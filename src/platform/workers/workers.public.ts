export { answerMetrics } from './worker-channel.js';
