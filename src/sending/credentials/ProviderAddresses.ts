/** FCM's address, unless credentials name another. */
export const googleAddress = "https://fcm.googleapis.com";
/** The issuer of Google's access tokens, unless the service account names another address. */
export const googleTokenAddress = "https://oauth2.googleapis.com/token";
/** APNs' address, unless credentials name another. */
export const appleAddress = "https://api.push.apple.com";
