export { errorCode, fileProblem, remedyOf } from '@anyclass/torch/files';
