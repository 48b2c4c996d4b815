/** Plain helpers and words of audit that other folders use, beside its module and services. */
export {
  accountActor,
  actorOf,
  auditActions,
  auditStep,
  auditValues,
  changedFields,
  defineAuditActions,
  factsOf,
  OPERATOR,
  SERVICE,
} from './audit-event.js';
