/** Where FCM is, unless credentials name another address. */
export const googleAddress = "https://fcm.googleapis.com";
/** Where Google gives access tokens. */
export const googleTokenAddress = "https://oauth2.googleapis.com/token";
/** Where APNs is. */
export const appleAddress = "https://api.push.apple.com";
