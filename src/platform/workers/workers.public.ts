/** Plain helpers of workers that other folders use. */
export { answerMetrics } from './worker-channel.js';
